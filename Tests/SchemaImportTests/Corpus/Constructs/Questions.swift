import Foundation
import SwiftData
import SwiftUI

/// What nobody can know from the sources alone.
@Model
final class Questions {
    var price: Money
    @Attribute(.transformable(by: ColorTransformer.self)) var color: Color?
    @Attribute(.transformable(by: "NameTransformer")) var name: String?
    lazy var slow = 1
    let constant = 1
    @Clamped var level: Int = 0
    var open: Open
    var options: Options
    var pair: (Int, Int)
    var untyped = make()
    var past: Date = .distantPast
    var raw: Data = Data()
    var home = Address(street: "")
    #if os(iOS)
        var phone: String?
    #endif
    var nested: [String: Money] = [:]

    #Unique<Questions>([\.level, \.past], [\.past])
    #Index<Questions>([\.past])

    init() {}

    struct Open {
        var value: Int
    }

    struct Options: OptionSet, Codable {
        let rawValue: Int
    }
}

@Model
final class Named {
    var id: Int
    init() {}
}

@Model
final class Marked {
    @Attribute(.unique) var identifier: UUID
    init() {}
}

@Model
final class Student {
    var id: UUID
    var courses: [Course] = []
    var friends: [Friend] = []
    var first: Teacher?
    var second: Teacher?
    init() {}
}

@Model
final class Course {
    var id: UUID
    var students: [Student] = []
    init() {}
}

@Model
final class Friend {
    var id: UUID
    init() {}
}

@Model
final class Teacher {
    var id: UUID
    @Relationship(minimumModelCount: 1) var students: [Student] = []
    init() {}
}

@Model
class Vehicle {
    var id: UUID
    var wheels: Int = 4
    var owner: Student?
    init() {}
}

@available(iOS 26, *)
@Model
final class Car: Vehicle {
    var doors: Int = 5
}

@Model
final class Folder {
    var id: UUID
    var parent: Folder?
    @Relationship(deleteRule: .cascade, inverse: \Folder.parent) var children: [Folder]?
    @Relationship(deleteRule: .deny) var cover: Cover?
    init() {}
}

@Model
final class Cover {
    var id: UUID
    var folder: Folder?
    init() {}
}
