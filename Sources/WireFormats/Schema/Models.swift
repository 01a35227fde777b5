/// The declaration of a version's models, with the terms of SwiftData. A version that inherits another one declares
/// only its changes.
///
/// ```swift
/// static let models = Models {
///     Inherits(SchemaV8.self)
///     Model("SDUserProfileV9", originalName: "SDUserProfile") {
///         Relationship(
///             "photoRecognitions", toMany: "SDPhotoRecognition", deleteRule: .cascade, inverse: "userProfile")
///     }
///     Model("SDProgressEntry") { Removed("userID") }
/// }
/// ```
public struct Models: Sendable {
    package let elements: [Statement]

    /// Makes a declaration from the statements in a block: first at most one `Inherits`, then a `Model` for each entity
    /// that is new or changed, and a `RemovedModel` for each that is removed.
    public init(@ModelsBuilder _ elements: () -> [Element]) {
        self.elements = elements().map(\.statement)
    }

    /// Makes a declaration from a list of statements, for code that generates declarations.
    package init(elements: [Statement]) {
        self.elements = elements
    }

    /// One statement of a declaration, as `ModelsBuilder` collects it.
    public struct Element: Sendable {
        package let statement: Statement
    }

    /// A statement of a declaration, with one case for each kind.
    package enum Statement: Sendable {
        case inherits(any VersionedSchema.Type)
        case model(Model)
        case removed(RemovedModel)
        case undecided(Undecided)
    }
}

/// Inherits everything that the version `base` declares.
public struct Inherits: Sendable {
    let base: any VersionedSchema.Type

    /// Declares that the version inherits the models of `base`.
    ///
    /// - Parameter base: an earlier version of the same plan.
    public init(_ base: any VersionedSchema.Type) {
        self.base = base
    }
}

/// Declares an entity, or changes the inherited entity of that name: everything that is not mentioned stays as
/// inherited.
///
/// ```swift
/// Model("Item") {
///     Identity()
///     Attribute("name", .string)
///     Relationship("shelf", toOne: "Shelf")
/// }
/// ```
public struct Model: Sendable {
    package let name: String
    package let originalName: String?
    package let scope: Schema.Scope?
    package let multiplicity: Schema.Multiplicity?
    package let members: [Statement]

    /// Declares an entity, or the changes to an inherited one.
    ///
    /// - Parameters:
    ///   - name: the entity's name in this version, which is its name on the wire.
    ///   - multiplicity: `.singleton` if all devices of a space share one record of the entity.
    ///   - originalName: the entity's name in the version before, if this version renames it. The entity keeps its
    ///     records.
    ///   - scope: `.local` for records that stay on one device.
    ///   - members: the attributes and relationships that are new or changed.
    public init(
        _ name: String, _ multiplicity: Schema.Multiplicity? = nil, originalName: String? = nil,
        scope: Schema.Scope? = nil,
        @ModelBuilder _ members: () -> [Member] = { [] }
    ) {
        self.name = name
        self.originalName = originalName
        self.scope = scope
        self.multiplicity = multiplicity
        self.members = members().map(\.statement)
    }

    /// Makes a model from a list of statements, for code that generates declarations.
    package init(
        named name: String, originalName: String? = nil, scope: Schema.Scope? = nil,
        multiplicity: Schema.Multiplicity? = nil, members: [Statement]
    ) {
        self.name = name
        self.originalName = originalName
        self.scope = scope
        self.multiplicity = multiplicity
        self.members = members
    }

    /// One statement about a model, as `ModelBuilder` collects it.
    public struct Member: Sendable {
        package let statement: Statement
    }

    /// A statement about a model, with one case for each kind.
    package enum Statement: Sendable {
        case identity(String, Schema.IdentityType)
        case attribute(Schema.Attribute)
        case relationship(Schema.Relationship)
        case removed([String])
        case undecided(Undecided)
    }
}

/// Removes an inherited entity from this version. Older versions keep the entity.
public struct RemovedModel: Sendable {
    package let name: String

    /// Declares that an inherited entity is removed.
    ///
    /// - Parameter name: the entity's name in the version that is inherited.
    public init(_ name: String) {
        self.name = name
    }
}

/// The attribute of a model that is the record's id. In a change it is sent as the member `id`, not among the fields.
public struct Identity: Sendable {
    let name: String
    let type: Schema.IdentityType

    /// Declares the attribute that is the record's id.
    ///
    /// - Parameters:
    ///   - name: the attribute's name in the model.
    ///   - type: `.string` if the model declares `id: String`. Such ids are compared and stored byte for byte.
    public init(_ name: String = "id", _ type: Schema.IdentityType = .uuid) {
        self.name = name
        self.type = type
    }
}

/// A stored property. An attribute that is declared again in a later version replaces the inherited declaration, at the
/// same position.
///
/// ```swift
/// Attribute("title", .string, originalName: "name")                        // renamed
/// Attribute("amount", .double, default: 1)                                 // added
/// Attribute("code", .string.optional, .unique)
/// Attribute("tags", .array(of: .string), default: [], merge: .union)
/// ```
public struct Attribute: Sendable {
    let value: Schema.Attribute

    /// Declares an attribute that is new or changed in this version.
    ///
    /// - Parameters:
    ///   - name: the attribute's name in this version, which is its name on the wire.
    ///   - type: the type of its values, such as `.string` or `.double.optional`.
    ///   - options: `.unique` where no two records of a space may hold the same value.
    ///   - default: the value in records that are created without one. It is required for an attribute that is not
    ///     optional and that older versions do not have.
    ///   - originalName: the attribute's name in the version before, if this version renames it.
    ///   - scope: `.local` for values that stay on one device.
    ///   - unit: the unit of a number. If two versions state different units for the same type, the stage needs a
    ///     `Convert`.
    ///   - merge: the rule by which several edits of the attribute are merged.
    public init(
        _ name: String, _ type: AttributeType, _ options: Schema.Attribute.Option..., default: Default? = nil,
        originalName: String? = nil, scope: Schema.Scope = .synced, unit: String? = nil, merge: MergePolicy = .latest
    ) {
        value = Schema.Attribute(
            name: name, originalName: originalName, type: type, default: `default`, scope: scope, unit: unit,
            isUnique: options.contains(.unique), merge: merge)
    }
}

/// A reference to a record of another entity, or the inverse of such references.
///
/// ```swift
/// Model("Item") { Relationship("shelf", toOne: "Shelf") }
/// Model("Shelf") { Relationship("items", toMany: "Item", deleteRule: .cascade, inverse: "shelf") }
/// ```
public struct Relationship: Sendable {
    let value: Schema.Relationship

    /// Declares a reference to one record. It is sent as the target's id. It is always optional, because the target may
    /// arrive later or be deleted.
    public init(
        _ name: String, toOne target: String, deleteRule: Schema.DeleteRule = .nullify, inverse: String? = nil,
        originalName: String? = nil
    ) {
        value = Schema.Relationship(
            name: name, originalName: originalName, target: target, cardinality: .toOne, deleteRule: deleteRule,
            inverse: inverse)
    }

    /// Declares the inverse of a to-one relationship of `target`. The inverse is never sent. Its delete rule is applied
    /// by the server when a record of this model is deleted.
    public init(
        _ name: String, toMany target: String, deleteRule: Schema.DeleteRule = .nullify, inverse: String? = nil,
        originalName: String? = nil
    ) {
        value = Schema.Relationship(
            name: name, originalName: originalName, target: target, cardinality: .toMany, deleteRule: deleteRule,
            inverse: inverse)
    }
}

/// Removes inherited attributes or relationships of a model from this version. The server keeps what older versions
/// wrote in them.
public struct Removed: Sendable {
    let names: [String]

    /// Declares that inherited attributes or relationships are removed.
    ///
    /// - Parameter names: the names in the version that is inherited.
    public init(_ names: String...) {
        self.names = names
    }
}

/// Collects the statements of a version.
@resultBuilder
public enum ModelsBuilder {
    public static func buildExpression(_ x: Inherits) -> [Models.Element] {
        [.init(statement: .inherits(x.base))]
    }
    public static func buildExpression(_ x: Model) -> [Models.Element] {
        [.init(statement: .model(x))]
    }
    public static func buildExpression(_ x: RemovedModel) -> [Models.Element] {
        [.init(statement: .removed(x))]
    }
    public static func buildExpression(_ x: Undecided) -> [Models.Element] {
        [.init(statement: .undecided(x))]
    }
    public static func buildBlock(_ parts: [Models.Element]...) -> [Models.Element] { parts.flatMap { $0 } }
}

/// Collects the statements about one model.
@resultBuilder
public enum ModelBuilder {
    public static func buildExpression(_ x: Identity) -> [Model.Member] {
        [.init(statement: .identity(x.name, x.type))]
    }
    public static func buildExpression(_ x: Attribute) -> [Model.Member] {
        [.init(statement: .attribute(x.value))]
    }
    public static func buildExpression(_ x: Relationship) -> [Model.Member] {
        [.init(statement: .relationship(x.value))]
    }
    public static func buildExpression(_ x: Removed) -> [Model.Member] {
        [.init(statement: .removed(x.names))]
    }
    public static func buildExpression(_ x: Undecided) -> [Model.Member] {
        [.init(statement: .undecided(x))]
    }
    public static func buildBlock(_ parts: [Model.Member]...) -> [Model.Member] { parts.flatMap { $0 } }
}
