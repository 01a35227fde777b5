import SyncModel
import WireFormats

/// One item of `GroceryPlan` and the shelf that it may be on, and what the model says of them.
struct Grocery {
    static let item = ID(high: 1, low: 1)
    static let shelf = ID(high: 1, low: 2)

    private(set) var model: SpaceModel

    /// An item that is there since the stamp 1, and of which nobody has said anything.
    init() throws {
        model = try SpaceModel(GroceryPlan.self)
        take(Grocery.change(.create, [:], at: 1, in: 1))
    }

    static func name(_ version: Int) -> ShapeName { ShapeName("\(version).0.0")! }

    static func change(
        _ fields: [String: Value], at stamp: Int64?, in version: Int, isHeld: Bool = false
    ) -> ModelChange { change(.update, fields, at: stamp, in: version, isHeld: isHeld) }

    static func change(
        _ operation: ModelChange.Operation, _ fields: [String: Value], at stamp: Int64?, in version: Int,
        isHeld: Bool = false
    ) -> ModelChange {
        ModelChange(
            operation, "Item", item, fields, at: stamp.map { Stamp(unchecked: $0) }, in: name(version), isHeld: isHeld)
    }

    mutating func take(_ change: ModelChange) { model.take(change) }

    mutating func beginPush() { model.beginPush() }

    mutating func edit(_ fields: [String: Value], at stamp: Int64, in version: Int, isHeld: Bool = false) {
        take(Grocery.change(fields, at: stamp, in: version, isHeld: isHeld))
    }

    /// A whole record from a device.
    mutating func save(_ fields: [String: Value], at stamp: Int64?, in version: Int, device: UInt64 = 1) {
        var change = Grocery.change(fields, at: stamp, in: version)
        change.isWhole = true
        change.device = ID(high: 2, low: device)
        take(change)
    }

    mutating func add(_ amount: Int64, at stamp: Int64, device: UInt64) {
        var change = Grocery.change([:], at: stamp, in: 2)
        change.increments = ["opened": amount]
        change.device = ID(high: 2, low: device)
        take(change)
    }

    mutating func putOnShelf(at stamp: Int64) { edit(["shelf": .uuid(Grocery.shelf)], at: stamp, in: 1) }

    mutating func shelf(_ operation: ModelChange.Operation, at stamp: Int64) {
        take(ModelChange(operation, "Shelf", Grocery.shelf, at: Stamp(unchecked: stamp), in: Grocery.name(1)))
    }

    func reads(_ attribute: String, in version: Int) -> Value? {
        model.records(in: Grocery.name(version))[ModelKey(entity: "Item", id: Grocery.item)]?[attribute]
    }

    /// All records, as each version reads them.
    var views: [[ModelKey: [String: Value]]] { (1...3).map { model.records(in: Grocery.name($0)) } }
}

extension Value {
    static func decimal(_ text: String) -> Value { .decimal(DecimalText(text)!) }
}
