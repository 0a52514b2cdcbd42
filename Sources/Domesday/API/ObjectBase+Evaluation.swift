// How objects, managed or not, answer the evaluator of predicates.
extension ObjectBase: EvaluatedObject {
    var evaluatedClassName: String {
        classSchema.isDynamic ? classSchema.name : Self.className()
    }

    func evaluatedProperty(named name: String) -> EvaluatedProperty? {
        guard let property = classSchema.property(named: name) else {
            return nil
        }
        let value = property.field.value(of: self, at: property.offset)
        let isCollection =
            property.shape.collection != .none || property.shape.type == .linkingObjects
        guard isCollection else { return .one(value.flatMap { DynamicValue.unwrapped($0) }) }
        if property.shape.collection == .map {
            let entries = value.flatMap { DynamicValue.entries($0) } ?? []
            return .keyed(entries.map { ($0.key, DynamicValue.unwrapped($0.value)) })
        }
        let elements = value.flatMap { DynamicValue.elements($0) } ?? []
        return .many(elements.map { DynamicValue.unwrapped($0) })
    }

    var evaluatedPrimaryKey: Any? {
        guard let key = classSchema.primaryKey else { return nil }
        return key.field.value(of: self, at: key.offset).flatMap { DynamicValue.unwrapped($0) }
    }

    func evaluatedLinks(from origin: (className: String, property: String)?) -> [Any?]? {
        guard let control = objectBinding.control, control.pointee.state != nil else { return [] }
        let table = control.table
        let hops: [BoundHop]
        if let origin {
            guard let hop = table.backlinks(from: origin.className, property: origin.property)
            else { return nil }
            hops = [hop]
        } else {
            hops = table.allBacklinks
        }
        return CollectionQuery(control.realm, table).reading { () throws(StorageError) in
            var sources: [Any?] = []
            for case .backlinks(let origin as BoundTable, let column) in hops {
                for key in try origin.reader.sources(of: objectBinding.key, through: column) {
                    sources.append(origin.object(key))
                }
            }
            return sources
        }
    }

    func isEvaluatedAsEqual(to other: any EvaluatedObject) -> Bool {
        if let named = other as? any ObjectStandIn { return named.isEvaluatedAsEqual(to: self) }
        guard let other = other as? ObjectBase else { return false }
        if classSchema.isEmbedded, classSchema.name == other.classSchema.name {
            return hasEqualProperties(other)
        }
        return isSameObject(as: other)
    }

    private func hasEqualProperties(_ other: ObjectBase) -> Bool {
        return classSchema.properties.allSatisfy { property in
            switch (
                evaluatedProperty(named: property.name),
                other.evaluatedProperty(named: property.name)
            ) {
            case (.one(let left), .one(let right)):
                isEqualScalar(left, right)
            default:
                // Collections have no place in such a comparison.
                true
            }
        }
    }

    private func isEqualScalar(_ left: Any?, _ right: Any?) -> Bool {
        let text = TextComparison(options: [])
        do throws(EvaluationError) {
            return try ComparedValue(left).isEqual(to: ComparedValue(right), text)
        } catch {
            return false
        }
    }
}
