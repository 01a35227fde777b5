import Foundation

/// The options of the command line.
struct ModelOptions {
    var seed: UInt64 = 20_261_129
    var devices = 1_000_000
    var databases = 1
    /// The cores of a database. The machine on which the costs were measured has two.
    var databaseCores = 2
    var listeners = 10_000
    var only: Set<Experiment> = Set(Experiment.allCases)
    var isJSON = false
    var isCheck = false
    var folder: String?
    var fault: PlantedFault?

    /// An experiment that `--only` names.
    enum Experiment: String, CaseIterable {
        case day, storm, hot, growth
    }

    /// A word of the command line that nobody understands.
    struct Misuse: Error, CustomStringConvertible {
        let description: String
    }

    static let usage = """
        ScaleModel [--seed N] [--devices N] [--databases N] [--database-cores N] [--listeners N]
                   [--only day,storm,hot,growth] [--json] [--svg FOLDER]
        ScaleModel --check [--fault short-service|lost-request|reused-random] [--seed N]
        """

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            switch name {
            case "--json": isJSON = true
            case "--check": isCheck = true
            default: try take(name, rest.popFirst())
            }
        }
    }

    private mutating func take(_ name: String, _ value: String?) throws {
        guard let value else { throw Misuse(description: "‘\(name)’ needs a value, or is unknown.\n\(Self.usage)") }
        switch name {
        case "--seed": seed = UInt64(try number(value, least: 0))
        case "--devices": devices = try number(value, least: 1000)
        case "--databases": databases = try number(value, least: 1)
        case "--database-cores": databaseCores = try number(value, least: 1)
        case "--listeners": listeners = try number(value, least: 1)
        case "--only": only = Set(try value.split(separator: ",").map { try experiment(String($0)) })
        case "--svg": folder = value
        case "--fault": fault = try planted(value)
        default: throw Misuse(description: "There is no ‘\(name)’.\n\(Self.usage)")
        }
    }

    private func number(_ text: String, least: Int) throws -> Int {
        guard let number = Int(text), number >= least else {
            throw Misuse(description: "‘\(text)’ is not a number from \(least) on.")
        }
        return number
    }

    private func experiment(_ text: String) throws -> Experiment {
        guard let experiment = Experiment(rawValue: text) else {
            throw Misuse(description: "There is no experiment ‘\(text)’.\n\(Self.usage)")
        }
        return experiment
    }

    private func planted(_ text: String) throws -> PlantedFault {
        guard let fault = PlantedFault(rawValue: text) else {
            throw Misuse(description: "There is no fault ‘\(text)’.\n\(Self.usage)")
        }
        return fault
    }
}
