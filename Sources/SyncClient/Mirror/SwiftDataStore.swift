#if canImport(SwiftData)
    import Foundation
    public import SwiftData
    import WireFormats

    /// A `@Model` class whose objects are synced, and the struct of the build's version that stands for them.
    ///
    /// Its id must be `@Attribute(.preserveValueOnDeletion)`: of a deleted object nothing else is left to say which.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public protocol MirroredModel: PersistentModel, SendableMetatype {
        /// By `syncserver schema swift`.
        associatedtype Record: SyncRecord

        /// A new object with all of `record` but what refers to others.
        init(_ record: Record)
        /// What the object is now.
        var record: Record { get }
        /// Makes the object what `record` says. What it refers to is there already, and can be fetched from `context`
        /// by `descriptor(of:)`.
        func take(_ record: Record, in context: ModelContext) throws
        /// What fetches the object with this id.
        static func descriptor(of id: RecordID) -> FetchDescriptor<Self>
        /// The id of a deleted object.
        static func id(in tombstone: HistoryTombstone<Self>) -> RecordID?
    }

    /// An app's SwiftData store, for `SyncMirror`. What was written it reads from the store's history, whoever wrote
    /// it.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public struct SwiftDataStore: MirroredStore {
        private let container: ModelContainer
        private let models: [any MirroredModel.Type]

        /// The author of what the mirror writes, in the store's history.
        public static let author = "SyncMirror"
        /// How many transactions are read at a time.
        private static let partMax = 500

        /// How far the history was read; before that, of which model all objects come next.
        private struct Token: Codable {
            var history: DefaultHistoryToken?
            var model: Int?
        }

        /// - Parameter models: all that are synced, those first that others refer to.
        public init(_ container: ModelContainer, models: [any MirroredModel.Type]) {
            self.container = container
            self.models = models
        }

        /// The store's file: after a reinstallation it is another one.
        public var identity: String {
            get throws {
                guard let url = container.configurations.first?.url else { return "none" }
                let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
                let file = (attributes[.systemFileNumber] as? NSNumber)?.int64Value ?? 0
                let began = (attributes[.creationDate] as? Date)?.timeIntervalSince1970 ?? 0
                return "\(file) \(began)"
            }
        }

        public func changes(since token: String?) async throws -> MirrorChanges {
            var place = Token(model: 0)
            if let token { place = try JSONDecoder().decode(Token.self, from: Data(token.utf8)) }
            let context = ModelContext(container)
            var changes = MirrorChanges(records: [:], token: "")
            if place.model != nil {
                try list(&place, in: context, &changes)
            } else {
                try readHistory(&place, in: context, &changes)
            }
            changes.token = String(decoding: try JSONEncoder().encode(place), as: UTF8.self)
            return changes
        }

        /// All objects of a model at once, so that none is missed because another goes meanwhile. What is written while
        /// they are read is in the history, which is read from its beginning then: that tells of objects once more, and
        /// of nothing that was not so.
        private func list(_ place: inout Token, in context: ModelContext, _ changes: inout MirrorChanges) throws {
            guard let model = place.model, models.indices.contains(model) else { return place.model = nil }
            try models[model].list(in: context, &changes)
            place.model = models.indices.contains(model + 1) ? model + 1 : nil
            changes.hasMore = place.model != nil
        }

        private func readHistory(_ place: inout Token, in context: ModelContext, _ changes: inout MirrorChanges) throws
        {
            var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
            if let token = place.history { descriptor.predicate = #Predicate { $0.token > token } }
            descriptor.fetchLimit = UInt64(SwiftDataStore.partMax)
            let transactions: [DefaultHistoryTransaction]
            do {
                transactions = try context.fetchHistory(descriptor)
            } catch let error as SwiftDataError where error == .historyTokenExpired {
                throw MirrorTokenExpired()
            }
            for transaction in transactions {
                for change in transaction.changes {
                    for model in models { try model.read(change, in: context, &changes) }
                }
            }
            place.history = transactions.last?.token ?? place.history
            changes.hasMore = transactions.count == SwiftDataStore.partMax
        }

        public func existing(_ keys: [RecordKey]) async throws -> Set<RecordKey> {
            let (context, all) = (ModelContext(container), modelsByEntity)
            return Set(try keys.filter { try all[$0.entity]?.has($0.id, in: context) ?? false })
        }

        public func apply(_ edits: [MirrorEdit]) async throws {
            let (context, all) = (ModelContext(container), modelsByEntity)
            context.autosaveEnabled = false
            context.author = SwiftDataStore.author
            try context.transaction {
                let known = try edits.filter { try all[$0.key.entity]?.insert($0, in: context) ?? true }
                // What is there already of new objects stays as it is.
                let stays = Set(known.map(\.key))
                for edit in edits { try all[edit.key.entity]?.update(edit, stays.contains(edit.key), in: context) }
                for edit in edits { try all[edit.key.entity]?.delete(edit, in: context) }
            }
        }

        private var modelsByEntity: [String: any MirroredModel.Type] {
            Dictionary(uniqueKeysWithValues: models.map { ($0.entity, $0) })
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension MirroredModel {
        fileprivate static var entity: String { Record.entity }

        private static func object(_ id: RecordID, in context: ModelContext) throws -> Self? {
            try context.fetch(descriptor(of: id)).first
        }

        private static func note(_ object: Self, _ changes: inout MirrorChanges) throws {
            let record = object.record
            changes.records[record.key] = try record.fields
        }

        fileprivate static func has(_ id: RecordID, in context: ModelContext) throws -> Bool {
            try context.fetchCount(descriptor(of: id)) > 0
        }

        fileprivate static func list(in context: ModelContext, _ changes: inout MirrorChanges) throws {
            for object in try context.fetch(FetchDescriptor<Self>()) { try note(object, &changes) }
        }

        fileprivate static func read(
            _ change: HistoryChange, in context: ModelContext, _ changes: inout MirrorChanges
        ) throws {
            switch change {
            case .insert(let insert):
                if insert is DefaultHistoryInsert<Self> { try readObject(of: change, in: context, &changes) }
            case .update(let update):
                if update is DefaultHistoryUpdate<Self> { try readObject(of: change, in: context, &changes) }
            case .delete(let delete):
                guard let delete = delete as? DefaultHistoryDelete<Self>, let id = id(in: delete.tombstone) else {
                    return
                }
                let key = Record.key(id)
                // It may be there again.
                if let object = try object(id, in: context) { return try note(object, &changes) }
                changes.records[key] = nil
                changes.deleted.insert(key)
            @unknown default: return
            }
        }

        /// Of an object that was deleted later the history tells later.
        private static func readObject(
            of change: HistoryChange, in context: ModelContext, _ changes: inout MirrorChanges
        ) throws {
            let id = change.changedPersistentIdentifier
            let descriptor = FetchDescriptor<Self>(predicate: #Predicate { $0.persistentModelID == id })
            if let object = try context.fetch(descriptor).first { try note(object, &changes) }
        }

        /// - Returns: whether there was one.
        fileprivate static func insert(_ edit: MirrorEdit, in context: ModelContext) throws -> Bool {
            guard case .insert(let fields) = edit.operation else { return true }
            if try has(edit.key.id, in: context) { return true }
            context.insert(Self(try Record(RecordFields(id: edit.key.id, values: fields))))
            return false
        }

        /// Also what a new object refers to, now that all are there.
        fileprivate static func update(_ edit: MirrorEdit, _ wasThere: Bool, in context: ModelContext) throws {
            guard let object = try object(edit.key.id, in: context) else { return }
            let fields: [String: Value]
            switch edit.operation {
            case .insert(let new):
                if wasThere { return }
                fields = new
            case .update(let replacements):
                fields = MirrorEdit.replacing(replacements, in: try object.record.fields)
            case .delete: return
            }
            try object.take(Record(RecordFields(id: edit.key.id, values: fields)), in: context)
        }

        fileprivate static func delete(_ edit: MirrorEdit, in context: ModelContext) throws {
            guard case .delete(let expected) = edit.operation, let object = try object(edit.key.id, in: context),
                try object.record.fields == expected
            else { return }
            context.delete(object)
        }
    }
#endif
