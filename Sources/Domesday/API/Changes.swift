/// The changes of an observed collection or object, as an asynchronous sequence: never ends but with
/// the task, and for an object when it is deleted.
///
/// ```swift
/// for await change in realm.objects(Person.self).changes { ... }
/// ```
///
/// Each iterator observes by itself. What it was told and has not given yet waits.
///
/// **Threads.** Iterate where the Realm is.
public struct RealmChanges<Change>: AsyncSequence {
    /// What is told.
    public typealias Element = Change

    let begin: (@escaping (Change?) -> Void) -> NotificationToken

    /// Begins to observe.
    public func makeAsyncIterator() -> AsyncIterator {
        let (stream, continuation) = AsyncStream<Observation.Handed<Change>>.makeStream()
        let token = begin { change in
            guard let change else { return continuation.finish() }
            continuation.yield(Observation.Handed(change))
        }
        return AsyncIterator(iterator: stream.makeAsyncIterator(), token: token)
    }

    /// Gives one change after another.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var iterator: AsyncStream<Observation.Handed<Change>>.AsyncIterator
        /// Keeps the observation going.
        let token: NotificationToken

        /// The next change, once there is one; nil when the task is cancelled.
        public mutating func next() async -> Change? { await next(isolation: nil) }

        /// The next change, once there is one; nil when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Change? {
            await iterator.next(isolation: actor)?.value
        }
    }
}

extension RealmCollection {
    /// What happens to the collection, as `observe` tells it.
    ///
    /// The collection in each change is frozen, so that positions fit it however late it is looked at;
    /// `thaw` gives the live one. Not in RealmSwift.
    public var changes: RealmChanges<RealmCollectionChange<Self>> { changes(keyPaths: nil) }

    /// What happens to the collection, as `observe(keyPaths:)` tells it.
    public func changes(keyPaths: [String]?) -> RealmChanges<RealmCollectionChange<Self>> {
        RealmChanges { report in
            self.observe(keyPaths: keyPaths) { change in
                switch change {
                case .initial(let collection): report(.initial(collection.freeze()))
                case .update(let collection, let deletions, let insertions, let modifications):
                    if collection.isInvalidated { return report(nil) }
                    report(
                        .update(
                            collection.freeze(),
                            deletions: deletions,
                            insertions: insertions,
                            modifications: modifications
                        )
                    )
                case .error: break
                }
            }
        }
    }
}

extension RealmKeyedCollection {
    /// What happens to the map, as `observe` tells it.
    ///
    /// The map in each change is frozen, so that keys fit it however late it is looked at; `thaw` gives
    /// the live one. Not in RealmSwift.
    public var changes: RealmChanges<RealmMapChange<Self>> { changes(keyPaths: nil) }

    /// What happens to the map, as `observe(keyPaths:)` tells it.
    public func changes(keyPaths: [String]?) -> RealmChanges<RealmMapChange<Self>> {
        RealmChanges { report in
            self.observe(keyPaths: keyPaths, on: nil) { change in
                switch change {
                case .initial(let map): report(.initial(map.freeze()))
                case .update(let map, let deletions, let insertions, let modifications):
                    if map.isInvalidated { return report(nil) }
                    report(
                        .update(
                            map.freeze(),
                            deletions: deletions,
                            insertions: insertions,
                            modifications: modifications
                        )
                    )
                case .error: break
                }
            }
        }
    }
}

extension ThreadConfined where Self: ObjectBase {
    /// What happens to the object, as `observe` tells it; ends after `.deleted`.
    ///
    /// The object in each change is frozen; `thaw` gives the live one. Not in RealmSwift.
    public var changes: RealmChanges<ObjectChange<Self>> { changes(keyPaths: nil) }

    /// What happens to the object, as `observe(keyPaths:)` tells it; ends after `.deleted`.
    public func changes(keyPaths: [String]?) -> RealmChanges<ObjectChange<Self>> {
        RealmChanges { report in
            self.observe(keyPaths: keyPaths) { change in
                switch change {
                case .change(let object, let properties):
                    report(.change(object.freeze(), properties))
                case .deleted:
                    report(.deleted)
                    report(nil)
                case .error: break
                }
            }
        }
    }
}
