import Testing

/// The parent of all tests of this layer: `swift test --filter StorageTests`.
@Suite("Storage")
enum StorageTests {}
