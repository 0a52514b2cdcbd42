import CRuntime

/// Finds the classes of the process in the runtime's type metadata.
enum TypeDiscovery {
    /// All non-generic classes that inherit from `base`, at any depth, in no particular order;
    /// `base` itself is not among them.
    ///
    /// Works in debug and release builds and with a static standard library. Sees the images loaded
    /// when it is called.
    ///
    /// **Threads.** Any.
    /// - Complexity: O(classes in the process); well under a millisecond for some thousands.
    static func subclasses(of base: AnyClass) -> [AnyClass] {
        var search = Search(base: base)
        withUnsafeMutablePointer(to: &search) { pointer in
            domesday_enumerate_classes(
                { metatype, context in
                    // SAFETY: `context` is `search`, alive until the enumeration returns; the
                    // runtime hands out complete class metadata, which is what AnyClass is.
                    let search = context.assumingMemoryBound(to: Search.self)
                    let type: AnyClass = unsafeBitCast(metatype, to: AnyClass.self)
                    search.pointee.consider(type)
                },
                pointer
            )
        }
        return search.found
    }

    private struct Search {
        let base: AnyClass
        var found: [AnyClass] = []

        mutating func consider(_ type: AnyClass) {
            var ancestor: AnyClass? = _getSuperclass(type)
            while let class_ = ancestor {
                if class_ == base {
                    found.append(type)
                    return
                }
                ancestor = _getSuperclass(class_)
            }
        }
    }
}
