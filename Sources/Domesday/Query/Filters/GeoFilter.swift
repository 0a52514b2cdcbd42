import Foundation
import PredicateLanguage

/// Rows that are places within a region.
final class GeoFilter: RowFilter {
    private let columns: GeoColumns
    private let region: GeoRegion

    init(_ table: TableReader, _ columns: GeoColumns, _ region: GeoRegion) {
        self.columns = columns
        self.region = region
        super.init(table)
    }

    override var cost: Double { 100 }

    override func matches(_ view: ClusterView, _ row: Int) throws(StorageError) -> Bool {
        guard try table.isPlace(columns, view, row) else { return false }
        let bytes = try table.bytes(view.payload, column: columns.coordinates, row: row)
        return GeoPosition(coordinates: bytes).map(region.contains) ?? false
    }
}

extension TableReader {
    /// The bytes of the coordinates of a row that is a place, else nil.
    func place(
        _ columns: GeoColumns,
        _ view: ClusterView,
        _ row: Int
    ) throws(StorageError) -> QueryValue {
        guard try isPlace(columns, view, row) else { return .null }
        return .bytes(Array(try bytes(view.payload, column: columns.coordinates, row: row)))
    }

    fileprivate func isPlace(
        _ columns: GeoColumns,
        _ view: ClusterView,
        _ row: Int
    ) throws(StorageError) -> Bool {
        if view.state(columns.type, row) == 1 { return false }
        return try bytes(view.payload, column: columns.type, row: row)
            .elementsEqual(GeoColumns.point.utf8)
    }
}

extension GeoRegion {
    /// Whether what stands at the end of a path is a place in the region.
    func contains(_ place: QueryValue) -> Bool {
        guard case .bytes(let bytes) = place,
            let position = bytes.withUnsafeBytes({ GeoPosition(coordinates: $0) })
        else { return false }
        return contains(position)
    }
}

extension GeoPosition {
    /// From the bytes of a list of numbers: longitude, latitude, and perhaps more; nil for less.
    fileprivate init?(coordinates bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 16 else { return nil }
        self.init(
            latitude: bytes.loadUnaligned(fromByteOffset: 8, as: Double.self),
            longitude: bytes.loadUnaligned(as: Double.self)
        )
    }
}
