import PredicateLanguage

// Places within shapes; what a place is says `GeoPoint`.

extension Query where T: OptionalProtocol, T.Wrapped: EmbeddedObject {
    /// Is a place within the shape; nil is nowhere.
    ///
    /// ```swift
    /// realm.objects(Shop.self).where { $0.location.geoWithin(circle) }
    /// ```
    public func geoWithin<Shape: RLMGeospatial>(_ shape: Shape) -> Query<Bool> {
        Self.comparing(self, .in, .constant(shape))
    }
}

extension Query where T: RealmCollectionBase, T.Element: EmbeddedObject {
    /// At least one element is a place within the shape.
    public func geoWithin<Shape: RLMGeospatial>(_ shape: Shape) -> Query<Bool> {
        Self.comparing(self, .in, .constant(shape))
    }
}
