/// The decoder of ``StoreCheck`` for values of any type, after FORMAT.md rather than after the
/// engine.
enum RawMixed {
    /// The links in a value; nil if the bytes are damaged.
    static func links(in bytes: [UInt8]) -> [(table: TableID, target: ObjectKey)]? {
        var links: [(table: TableID, target: ObjectKey)] = []
        return value(bytes[...], &links, 0) ? links : nil
    }

    /// Calls `body` with what stands behind each u32 length.
    private static func parts(
        _ bytes: ArraySlice<UInt8>,
        _ body: (ArraySlice<UInt8>) -> Bool
    ) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            guard rest.count >= 4 else { return false }
            let length = Int(number(rest.prefix(4)))
            rest = rest.dropFirst(4)
            guard rest.count >= length, body(rest.prefix(length)) else { return false }
            rest = rest.dropFirst(length)
        }
        return true
    }

    private static func value(
        _ bytes: ArraySlice<UInt8>,
        _ links: inout [(table: TableID, target: ObjectKey)],
        _ depth: Int
    ) -> Bool {
        guard let tag = bytes.first else { return true }
        let rest = bytes.dropFirst()
        switch tag {
        case 1, 2: return rest.isEmpty
        case 4: return rest.count == 4
        case 3, 5, 9: return rest.count == 8
        case 6, 11: return rest.count == 16
        case 10: return rest.count == 12
        case 7, 8: return true
        case 12:
            guard rest.count == 12 else { return false }
            let key = ObjectKey(bitPattern: number(rest.dropFirst(4)))
            links.append((Int(number(rest.prefix(4))), key))
            return true
        case 13:
            return depth < 100 && parts(rest) { value($0, &links, depth + 1) }
        case 14:
            var isKey = false
            let isSound = parts(rest) { part in
                isKey.toggle()
                return isKey || value(part, &links, depth + 1)
            }
            return depth < 100 && isSound && !isKey
        default: return false
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
