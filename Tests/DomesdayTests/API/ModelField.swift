import Foundation

@testable import Domesday

/// What makes two values of a type the same to the last bit.
protocol ModelScalar {
    var bits: String { get }
    static func random(_ random: inout SplitMix64) -> Self
}

/// One scalar property of `ModelNode`, its type forgotten.
struct ModelField {
    let name: String
    let initial: ModelValue
    let random: (inout SplitMix64) -> ModelValue
    let get: (ModelNode) -> ModelValue
    let set: (ModelNode, ModelValue) -> Void

    static let zeroUUID = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    init<V: ModelScalar>(
        _ name: String,
        _ path: ReferenceWritableKeyPath<ModelNode, V>,
        _ initial: V
    ) {
        func value(_ value: V) -> ModelValue { ModelValue(value: value, bits: value.bits) }
        self.name = name
        self.initial = value(initial)
        random = { value(V.random(&$0)) }
        get = { value($0[keyPath: path]) }
        set = { node, new in
            guard let new = new.value as? V else { fatalError("\(name) cannot be \(new)") }
            node[keyPath: path] = new
        }
    }

    // nonisolated(unsafe): made once, its closures hold nothing that changes.
    nonisolated(unsafe) static let all: [ModelField] = [
        ModelField("bool", \.bool, false),
        ModelField("int8", \.int8, 0),
        ModelField("int16", \.int16, 0),
        ModelField("int32", \.int32, 7),
        ModelField("int64", \.int64, 0),
        ModelField("float", \.float, 0),
        ModelField("double", \.double, 1.5),
        ModelField("text", \.text, "text"),
        ModelField("data", \.data, Data()),
        ModelField("date", \.date, Date(timeIntervalSinceReferenceDate: 0)),
        ModelField("uuid", \.uuid, zeroUUID),
        ModelField("objectId", \.objectId, ObjectId()),
        ModelField("kind", \.kind, .green),
        ModelField("maybeBool", \.maybeBool, nil),
        ModelField("maybeInt", \.maybeInt, nil),
        ModelField("maybeFloat", \.maybeFloat, nil),
        ModelField("maybeDouble", \.maybeDouble, nil),
        ModelField("maybeText", \.maybeText, nil),
        ModelField("maybeData", \.maybeData, nil),
        ModelField("maybeDate", \.maybeDate, nil),
        ModelField("maybeUUID", \.maybeUUID, nil),
        ModelField("maybeObjectId", \.maybeObjectId, nil),
        ModelField("maybeKind", \.maybeKind, nil),
        ModelField("decimal", \.decimal, 0),
        ModelField("maybeDecimal", \.maybeDecimal, nil),
        ModelField("any", \.any, .none),
        ModelField("meters", \.meters, ZooMeters(value: 0)),
        ModelField("maybeLetter", \.maybeLetter, nil),
    ]
}

extension Bool: ModelScalar {
    var bits: String { "\(self)" }
    static func random(_ random: inout SplitMix64) -> Bool { Bool.random(using: &random) }
}

extension FixedWidthInteger where Self: ModelScalar {
    var bits: String { "\(self)" }
    static func random(_ random: inout SplitMix64) -> Self {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: .random(in: .min ... .max, using: &random)
        case 1: [.min, .max, 0][Int.random(in: 0..<3, using: &random)]
        default: .random(in: 0..<100, using: &random)
        }
    }
}

extension Int: ModelScalar {}
extension Int8: ModelScalar {}
extension Int16: ModelScalar {}
extension Int32: ModelScalar {}
extension Int64: ModelScalar {}

extension Float: ModelScalar {
    var bits: String { "\(bitPattern)" }
    static func random(_ random: inout SplitMix64) -> Float {
        let odd: [Float] = [.nan, .infinity, -.infinity, -0.0, 0, .leastNonzeroMagnitude]
        let index = Int.random(in: 0..<20, using: &random)
        return index < odd.count ? odd[index] : .random(in: -10...10, using: &random)
    }
}

extension Double: ModelScalar {
    var bits: String { "\(bitPattern)" }
    static func random(_ random: inout SplitMix64) -> Double {
        let odd = [.nan, .infinity, -.infinity, -0.0, 0, .leastNonzeroMagnitude, .pi]
        let index = Int.random(in: 0..<20, using: &random)
        return index < odd.count ? odd[index] : .random(in: -10...10, using: &random)
    }
}

extension String: ModelScalar {
    var bits: String { utf8.count > 200 ? "\(utf8.count) \(hashValue)" : "\(Array(utf8))" }
    static func random(_ random: inout SplitMix64) -> String {
        let odd = ["", "\u{0}", "e\u{301}", "\u{e9}", "🦊", "a\u{0}b"]
        let index = Int.random(in: 0..<30, using: &random)
        if index < odd.count { return odd[index] }
        let count = index == 29 ? Int.random(in: 8000..<20_000, using: &random) : index
        let letter = UInt8.random(in: 97...122, using: &random)
        return String(decoding: (0..<count).map { letter + UInt8($0 % 4) }, as: UTF8.self)
    }
}

extension Data: ModelScalar {
    var bits: String { count > 200 ? "\(count) \(Array(self).hashValue)" : "\(Array(self))" }
    static func random(_ random: inout SplitMix64) -> Data {
        let size = Int.random(in: 0..<30, using: &random)
        let count = size == 29 ? Int.random(in: 8000..<20_000, using: &random) : size
        let first = UInt8.random(in: .min ... .max, using: &random)
        return Data((0..<count).map { first &+ UInt8(truncatingIfNeeded: $0) })
    }
}

extension Date: ModelScalar {
    var bits: String { "\(timeIntervalSinceReferenceDate.bitPattern)" }
    static func random(_ random: inout SplitMix64) -> Date {
        Date(timeIntervalSinceReferenceDate: .random(&random))
    }
}

extension UUID: ModelScalar {
    var bits: String { uuidString }
    static func random(_ random: inout SplitMix64) -> UUID {
        var uuid = ModelField.zeroUUID.uuid
        (uuid.0, uuid.15) = (.random(&random), .random(&random))
        return UUID(uuid: uuid)
    }
}

extension UInt8: ModelScalar {}

extension ObjectId: ModelScalar {
    var bits: String { stringValue }
    static func random(_ random: inout SplitMix64) -> ObjectId {
        let digits = String(Int.random(in: 0..<1 << 40, using: &random), radix: 16)
        let padded = String(repeating: "0", count: 24 - digits.count) + digits
        do { return try ObjectId(string: padded) } catch { fatalError("\(error)") }
    }
}

extension ModelKind: ModelScalar {
    var bits: String { rawValue }
    static func random(_ random: inout SplitMix64) -> ModelKind {
        allCases.randomElement(using: &random) ?? .red
    }
}

extension Decimal128: ModelScalar {
    var bits: String { stringValue }
    static func random(_ random: inout SplitMix64) -> Decimal128 {
        let odd: [Decimal128] = [.nan, .infinity, -.infinity, "-0", .max, "1E-6176", "0.10"]
        let index = Int.random(in: 0..<20, using: &random)
        if index < odd.count { return odd[index] }
        return Decimal128(Int.random(&random)) / 8
    }
}

extension AnyRealmValue: ModelScalar {
    var bits: String {
        switch self {
        case .none: "none"
        case .int(let value): "int \(value)"
        case .bool(let value): "bool \(value)"
        case .float(let value): "float \(value.bits)"
        case .double(let value): "double \(value.bits)"
        case .string(let value): "string \(value.bits)"
        case .data(let value): "data \(value.bits)"
        case .date(let value): "date \(value.bits)"
        case .object(let value): "object \(value.objectBinding.key)"
        case .objectId(let value): "objectId \(value)"
        case .decimal128(let value): "decimal \(value)"
        case .uuid(let value): "uuid \(value)"
        case .list(let value): "list \(value.map(\.bits))"
        case .dictionary(let value):
            "dictionary \(value.map { "\($0.key.bits): \($0.value.bits)" })"
        }
    }

    static func random(_ random: inout SplitMix64) -> AnyRealmValue { tree(&random, depth: 0) }

    /// A value without objects; collections up to five levels deep.
    static func tree(_ random: inout SplitMix64, depth: Int) -> AnyRealmValue {
        switch Int.random(in: 0..<14, using: &random) {
        case 0: return .none
        case 1: return .int(.random(&random))
        case 2: return .bool(.random(&random))
        case 3: return .float(.random(&random))
        case 4: return .double(.random(&random))
        case 5: return .string(.random(&random))
        case 6: return .data(.random(&random))
        case 7: return .date(.random(&random))
        case 8: return .objectId(.random(&random))
        case 9: return .decimal128(.random(&random))
        case 10: return .uuid(.random(&random))
        default:
            let count = depth < 5 ? Int.random(in: 0..<4, using: &random) : 0
            let values = (0..<count).map { _ in tree(&random, depth: depth + 1) }
            if Bool.random(using: &random) { return .fromArray(values) }
            let map = Map<String, AnyRealmValue>()
            for value in values { map[String.random(&random)] = value }
            return .dictionary(map)
        }
    }
}

extension ZooMeters: ModelScalar {
    var bits: String { "\(value)" }
    static func random(_ random: inout SplitMix64) -> ZooMeters {
        ZooMeters(value: .random(&random))
    }
}

extension ZooLetter: ModelScalar {
    var bits: String { String(letter) }
    static func random(_ random: inout SplitMix64) -> ZooLetter {
        ZooLetter("aé🦊".randomElement(using: &random) ?? "x")
    }
}

extension Optional: ModelScalar where Wrapped: ModelScalar {
    var bits: String { self?.bits ?? "nil" }
    static func random(_ random: inout SplitMix64) -> Wrapped? {
        Int.random(in: 0..<3, using: &random) == 0 ? nil : Wrapped.random(&random)
    }
}
