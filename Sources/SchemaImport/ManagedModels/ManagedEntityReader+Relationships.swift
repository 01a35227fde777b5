import SourceFacts
import WireFormats

extension ManagedEntityReader {
    mutating func readRelationship(_ property: ManagedModel.Property, _ member: String) {
        let element = property.element
        let isMany = element.isOn("toMany")
        let stated = element.value("destinationEntity")
        guard let target = stated.flatMap(model.index(of:)) else {
            return ask(
                .type, element,
                "‘\(member)’ leads to "
                    + (stated.map { "‘\($0)’, which the model does not have" } ?? "no entity")
                    + ": what is it?",
                leavesOut: true, [ManagedEntityReader.local(member), .init("correct the model", "and import again")])
        }
        let destination = model.entities[target]
        let heirs = model.heirs(of: target)
        if destination.isAbstract, heirs.isEmpty {
            entity.passing.insert(member)
            return note(element, "left out: ‘\(destination.name)’ is abstract, and nothing inherits from it")
        }
        if !heirs.isEmpty { return askForHeirs(property, member, target, heirs) }
        let isInherited = property.owner != index
        // The inverse is a reference to the parent, which may lead to a record of any of the entities.
        if isMany, isInherited || !model.heirs(of: index).isEmpty {
            return askForInheritedList(property, member, target)
        }
        let inverse = element.value("inverseName")
        if isMany, target == index, inverse == member { return askForOwnInverse(element, member) }
        entity.relationships.append(
            .init(
                value: Schema.Relationship(
                    name: member, originalName: element.value("elementID"), target: destination.name,
                    cardinality: isMany ? .toMany : .toOne, deleteRule: deleteRule(element),
                    inverse: isInherited ? nil : inverse),
                location: model.location(element), target: target, isInverseStated: !isInherited && inverse != nil,
                // A relationship without a stated inverse has none, unlike in SwiftData.
                isInherited: isInherited || inverse == nil))
        if element.isOn("ordered") { askForOrder(element, member, target) }
        if !isMany, !element.isOn("optional") {
            note(element, "required by the store: it reads as null where what it leads to was deleted elsewhere")
        }
        if let count = Int(element.value("minCount") ?? "0"), count > 0, isMany {
            note(element, "how many there may be is for each device to check")
        }
    }

    private mutating func deleteRule(_ element: ElementFact) -> Schema.DeleteRule {
        switch element.value("deletionRule") {
        case "Cascade": return .cascade
        case "Deny": return .deny
        case "No Action": return .noAction
        case "Nullify", nil: return .nullify
        case let rule?:
            let member = element.value("name") ?? ""
            ask(
                .type, element, "‘\(member)’ has the deletion rule ‘\(rule)’, which is not known here: which is it?",
                [.init("remove this", "Nullify, as here"), .init("deleteRule: .cascade at the property", "Cascade")])
            return .nullify
        }
    }

    private mutating func askForOrder(_ element: ElementFact, _ member: String, _ target: Int) {
        let destination = model.entities[target].name
        let back = model.properties(of: target).first { $0.name == element.value("inverseName") }
        // A model between two lists is asked for anyway, and can store the position in each list.
        if back?.element.isOn("toMany") == true {
            return note(element, "ordered: the model between keeps it, if it gets a position")
        }
        ask(
            .order, element, "‘\(member)’ is ordered, and a plan keeps no order: who does?",
            [
                .init("remove this", "nobody: each device has its own"),
                .init(
                    "Attribute(\"position\", .double.optional) in ‘\(destination)’, in the next version",
                    "the app: it numbers them, and sorts by that"),
            ])
    }

    // MARK: What leads to several entities

    private mutating func askForHeirs(
        _ property: ManagedModel.Property, _ member: String, _ target: Int, _ heirs: [Int]
    ) {
        let element = property.element
        let destination = model.entities[target]
        let all = (destination.isAbstract ? [] : [target]) + heirs
        let names = all.map { "‘\(model.entities[$0].name)’" }.joined(separator: ", ")
        let rule = deleteRule(element)
        func relationship(_ name: String, _ target: String, inverse: String?) -> Question.Choice {
            let value = Schema.Relationship(
                name: name, originalName: nil, target: target, cardinality: element.isOn("toMany") ? .toMany : .toOne,
                deleteRule: rule, inverse: inverse)
            return .init(DeclarationCode.relationship(value).line, "")
        }
        let root = model.entities[model.ancestors(of: target).last ?? target].name
        let inverse = property.owner == index && element.isOn("toMany") ? element.value("inverseName") : nil
        let together = relationship(member, root, inverse: inverse).statement
        let first = member + model.entities[all[0]].name
        let id = model.idType(of: all[0])
        let apart = relationship(first, model.entities[all[0]].name, inverse: inverse).statement
        ask(
            .inheritance, element, "‘\(name(of: member))’ leads to any of \(names): how does it travel?",
            leavesOut: true,
            [
                .init(together, "where ‘\(root)’ is one entity for all of them"),
                .init(apart, "and the like for each of the others, where they are entities of their own"),
                .init(
                    "Attribute(\"\(member)\", \(element.isOn("toMany") ? ".array(of: \(id))" : id).optional)",
                    element.isOn("toMany")
                        ? "the ids alone: nothing follows from a deletion; the later edit of the whole list stands"
                        : "the id alone: nothing follows from a deletion"),
                ManagedEntityReader.local(member),
            ])
    }

    private func name(of member: String) -> String { "\(name).\(member)" }

    private mutating func askForInheritedList(_ property: ManagedModel.Property, _ member: String, _ target: Int) {
        let element = property.element
        let destination = model.entities[target].name
        let owner = model.entities[property.owner].name
        let back = element.value("inverseName") ?? "owner"
        let rule = deleteRule(element)
        func list(_ inverse: String) -> String {
            let value = Schema.Relationship(
                name: member, originalName: nil, target: destination, cardinality: .toMany,
                deleteRule: rule, inverse: inverse)
            return DeclarationCode.relationship(value).line
        }
        let own = back + name
        ask(
            .inheritance, element,
            "‘\(name(of: member))’ is a list of ‘\(destination)’, which leads back to ‘\(owner)’ and all that inherit "
                + "from it: what leads back to ‘\(name)’?",
            leavesOut: true,
            [
                .init(list(back), "where ‘\(owner)’ is one entity for all of them"),
                .init(
                    list(own),
                    "and ‘Relationship(\"\(own)\", toOne: \"\(name)\")’ in ‘\(destination)’: the client sets it"),
                ManagedEntityReader.local(member),
            ])
    }

    private mutating func askForOwnInverse(_ element: ElementFact, _ member: String) {
        ask(
            .manyToMany, element,
            "‘\(name(of: member))’ is a list that is its own inverse: which model is between two of ‘\(name)’?",
            leavesOut: true,
            [
                .init(
                    "Relationship(\"\(member)\", toMany: \"\(name)Pair\", deleteRule: .cascade, inverse: \"one\")",
                    "a model ‘\(name)Pair’ with two references, ‘one’ and ‘other’; adding and removing merge one by "
                        + "one"),
                .init(
                    "Attribute(\"\(member)\", .array(of: \(model.idType(of: index))).optional)",
                    "the ids; the later edit of the whole list stands"),
                ManagedEntityReader.local(member),
            ])
    }
}
