import Testing

@testable import Domesday

@Suite("Coding of values of any type")
struct MixedCodingTests {
    private func tree(_ random: inout SplitMix64, _ depth: Int) -> MixedValue {
        func bytes(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        }
        let count = Int.random(in: 0..<4, using: &random)
        switch Int.random(in: 0..<(depth < 5 ? 16 : 12), using: &random) {
        case 0: return .none
        case 1: return .bool(Bool.random(using: &random))
        case 2: return .int(Int64.random(in: .min ... .max, using: &random))
        case 3: return .float(Float.random(in: -1...1, using: &random))
        case 4: return .double(Double.random(in: -1...1, using: &random))
        case 5: return .decimal(DecimalNumber(Int64.random(in: -99...99, using: &random)))
        case 6: return .string(Array("text \(count)".utf8))
        case 7: return .data(bytes(count * 10))
        case 8: return .date(Double.random(in: -1...1, using: &random))
        case 9: return .objectId(bytes(12))
        case 10: return .uuid(bytes(16))
        case 11: return .link(MixedLink(table: count, key: Int64.random(in: 1...9, using: &random)))
        case 12, 13: return .list((0..<count).map { _ in tree(&random, depth + 1) })
        default:
            return .dictionary(
                (0..<count).map {
                    MixedValue.Entry(key: Array("k\($0)".utf8), value: tree(&random, depth + 1))
                }
            )
        }
    }

    @Test("random values come back; damaged bytes are refused by engine and check alike")
    func randomAndDamaged() {
        var random = SplitMix64(seed: Scale.seed)
        var refusals = 0
        for round in 0..<(3000 * Scale.factor) {
            let note: Comment = "round \(round), seed \(Scale.seed)"
            let value = tree(&random, 0)
            var bytes = value.encoded
            #expect(bytes.withUnsafeBytes { MixedValue($0) } == value, note)
            compareLinks(bytes, note)
            // One byte changed, taken away or added.
            switch Int.random(in: 0..<3, using: &random) {
            case 0 where !bytes.isEmpty:
                let index = bytes.indices.randomElement(using: &random) ?? 0
                bytes[index] = UInt8.random(in: .min ... .max, using: &random)
            case 1 where !bytes.isEmpty: bytes.removeLast()
            default: bytes.append(UInt8.random(in: .min ... .max, using: &random))
            }
            let isSound = bytes.withUnsafeBytes { MixedValue($0) } != nil
            if !isSound { refusals += 1 }
            #expect(isSound == (RawMixed.links(in: bytes) != nil), note)
            if isSound { compareLinks(bytes, note) }
        }
        #expect(refusals > 500)
    }

    private func compareLinks(_ bytes: [UInt8], _ note: Comment) {
        let engine = bytes.withUnsafeBytes { MixedValue.links(in: $0) }
        let check = RawMixed.links(in: bytes)
        #expect(engine?.map(\.table) == check?.map(\.table), note)
        #expect(engine?.map(\.key) == check?.map(\.target), note)
    }

    @Test("collections lie at most 100 deep in each other")
    func depth() {
        func nested(_ depth: Int) -> [UInt8] {
            var value = MixedValue.int(1)
            for _ in 0..<depth { value = .list([value]) }
            return value.encoded
        }
        #expect(nested(100).withUnsafeBytes { MixedValue($0) } != nil)
        #expect(nested(101).withUnsafeBytes { MixedValue($0) } == nil)
        #expect(RawMixed.links(in: nested(100)) != nil)
        #expect(RawMixed.links(in: nested(101)) == nil)
    }
}
