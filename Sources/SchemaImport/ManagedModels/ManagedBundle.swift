import SourceFacts
import WireFormats

/// A Core Data model with its versions: `App.xcdatamodeld`, or the folder of a single version.
struct ManagedBundle {
    /// The folder of one version: `App 2.xcdatamodel`.
    struct Version {
        /// The folder's name without its suffix: `App 2`.
        let name: String
        let document: DocumentFact
    }

    /// The path of the model's folder, such as `App.xcdatamodeld`, in the same form as the paths of source files.
    let path: String
    private(set) var versions: [Version] = []
    /// The name of the current version, as `.xccurrentversion` states it: `App 2`.
    private(set) var current: String?

    /// Returns the Core Data models that `documents` (the model files in the sources) belong to.
    static func all(of documents: [DocumentFact]) -> [ManagedBundle] {
        var bundles: [ManagedBundle] = []
        func index(of path: String) -> Int {
            if let known = bundles.firstIndex(where: { $0.path == path }) { return known }
            bundles.append(ManagedBundle(path: path))
            return bundles.count - 1
        }
        for document in documents {
            let parts = document.file.split(separator: "/").map(String.init)
            // A model that lies within a version is a copy that Xcode does not compile.
            if parts.dropLast(2).contains(where: { $0.hasSuffix(".xcdatamodel") }) { continue }
            let folder = parts.dropLast().joined(separator: "/")
            switch parts.last {
            case "contents":
                let around = parts.dropLast(2).joined(separator: "/")
                let bundle = index(of: around.hasSuffix(".xcdatamodeld") ? around : folder)
                let name = parts.dropLast().last?.withoutSuffix(".xcdatamodel") ?? "Model"
                bundles[bundle].versions.append(Version(name: name, document: document))
            case ".xccurrentversion":
                let dictionary = document.root.elements.first { $0.name == "dict" }?.elements ?? []
                let key = dictionary.firstIndex { $0.text == "_XCCurrentVersionName" }
                let value = key.flatMap { $0 + 1 < dictionary.count ? dictionary[$0 + 1].text : nil }
                bundles[index(of: folder)].current = value?.withoutSuffix(".xcdatamodel")
            default: break
            }
        }
        return bundles.filter { !$0.versions.isEmpty }
    }

    /// Returns this Core Data model with the versions of `other` added.
    func joined(_ other: ManagedBundle) -> ManagedBundle {
        var whole = self
        whole.versions += other.versions
        whole.current = current ?? other.current
        return whole
    }
}

/// The order of the versions of a Core Data model: oldest first, the current version last.
///
/// Core Data itself states no order. The order follows from the versions' names, to which Xcode appends an increasing
/// number, and from the current version.
struct ManagedOrder {
    private(set) var versions: [(version: ManagedBundle.Version, number: Schema.Version)] = []
    /// Questions about the order of the versions. Until they are answered, it is uncertain which version is the newest.
    private(set) var questions: [(text: String, choices: [Question.Choice])] = []
    /// True if the version numbers follow from the versions' names, or from the order that the caller stated; false if
    /// there is a single version whose name has no number.
    private(set) var isNumbered = true

    /// Determines the order and the numbers of a Core Data model's versions.
    ///
    /// - Parameters:
    ///   - order: the folder names of the versions, as the user has ordered them; empty if the user has not.
    ///   - alone: the version number for a model with a single version whose name has no number; `nil` for 1.0.0.
    init(_ bundle: ManagedBundle, order: [String], alone: Schema.Version?) {
        if !order.isEmpty {
            let named = order.compactMap { name in
                bundle.versions.first { "\($0.name).xcdatamodel" == name }
            }
            number(named)
            return
        }
        let names = bundle.versions.map { VersionName($0.name) }
        if names.count == 1, names[0].numbers.isEmpty {
            isNumbered = false
            versions = [(bundle.versions[0], alone ?? SourceHistory.firstVersion)]
            return
        }
        let sorted = bundle.versions.sorted { VersionName($0.name) < VersionName($1.name) }
        let isClear = VersionName.differInNumbersOnly(names)
        guard let current = bundle.current else {
            number(sorted)
            if bundle.versions.count > 1 { askForOrder(sorted, "no ‘.xccurrentversion’ says which is the newest") }
            return
        }
        guard let last = sorted.firstIndex(where: { $0.name == current }) else {
            number(sorted)
            askForOrder(sorted, "the current one, ‘\(current)’, is not there")
            return
        }
        if !isClear {
            let others = sorted.filter { $0.name != current }
            number(others + [sorted[last]])
            askForOrder(others + [sorted[last]], "their names do not tell it")
            return
        }
        number(Array(sorted[...last]))
        let later = sorted[(last + 1)...].map { "‘\($0.name)’" }
        if !later.isEmpty {
            questions.append(
                (
                    "\(later.joined(separator: ", ")) come\(later.count == 1 ? "s" : "") after ‘\(current)’, which is "
                        + "the current version: did any of your users have \(later.count == 1 ? "it" : "them")?",
                    [
                        .init("remove this", "nobody: left out, as here"),
                        .init(
                            "name the versions' folders, oldest first", "and import again: they are read so"),
                    ]
                ))
        }
    }

    private mutating func askForOrder(_ versions: [ManagedBundle.Version], _ reason: String) {
        let list = versions.map { "‘\($0.name)’" }.joined(separator: ", ")
        questions.append(
            (
                "in which order were these versions made: \(list)? \(reason)",
                [
                    .init("remove this", "in this one, as here"),
                    .init(
                        "name the versions' folders, oldest first",
                        "and import again, as ‘schema import App.xcdatamodeld/A.xcdatamodel "
                            + "App.xcdatamodeld/B.xcdatamodel’: they are read in that order"),
                ]
            ))
    }

    /// Numbers the versions by the numbers in their names. If these do not increase, numbers them by their positions.
    private mutating func number(_ sorted: [ManagedBundle.Version]) {
        let names = sorted.map { VersionName($0.name) }
        var numbers = names.map(\.version)
        // A version without a number is the first: 1.0.0, or a number below the others.
        if names.first?.numbers.isEmpty == true {
            let next = numbers.dropFirst().first ?? nil
            numbers[0] = next.map { $0 > Schema.Version(1, 0, 0) } ?? true ? Schema.Version(1, 0, 0) : .init(0, 1, 0)
        }
        let stated = numbers.compactMap(\.self)
        let countUp = zip(stated, stated.dropFirst()).allSatisfy { $0 < $1 }
        let isUsable = stated.count == numbers.count && countUp && VersionName.differInNumbersOnly(names)
        versions = zip(sorted.indices, sorted).map { index, version in
            (version, isUsable ? stated[index] : Schema.Version(index + 1, 0, 0))
        }
    }
}

/// The name of a version in the usual forms: `App`, `App 2`, `AppV3`, `app_2.1.0`.
struct VersionName: Comparable {
    let name: String
    let numbers: [Int]
    /// The name in lower case without its numbers: `app` for `App 2`. For `AppV3` the set has both `appv` and `app`,
    /// because the `V` may stand for “version”.
    private let stems: Set<String>

    private static let numberMax = 999_999

    init(_ name: String) {
        self.name = name
        let digits = name.reversed().prefix { $0.isASCII && $0.isNumber || $0 == "." || $0 == "_" }.reversed()
        let parts = String(digits).split { $0 == "." || $0 == "_" }.map { Int($0) ?? .max }
        let isUsable = parts.count <= 3 && parts.allSatisfy { $0 <= VersionName.numberMax }
        numbers = isUsable ? parts : []
        let head = isUsable ? String(name.dropLast(digits.count)) : name
        let stem = VersionName.trimmed(head.lowercased())
        let isMarked = !numbers.isEmpty && stem.hasSuffix("v")
        stems = isMarked ? [stem, VersionName.trimmed(String(stem.dropLast()))] : [stem]
    }

    private static func trimmed(_ text: String) -> String {
        String(text.reversed().drop { " _-.".contains($0) }.reversed())
    }

    var version: Schema.Version? {
        guard !numbers.isEmpty else { return nil }
        let three = numbers + [0, 0]
        return Schema.Version(three[0], three[1], three[2])
    }

    static func < (a: VersionName, b: VersionName) -> Bool {
        if a.numbers.isEmpty != b.numbers.isEmpty { return a.numbers.isEmpty }
        if a.numbers != b.numbers { return a.numbers.lexicographicallyPrecedes(b.numbers) }
        return a.name < b.name
    }

    /// Returns true if the versions' names differ only in their numbers.
    static func differInNumbersOnly(_ names: [VersionName]) -> Bool {
        let shared = names.dropFirst().reduce(names.first?.stems ?? []) { $0.intersection($1.stems) }
        let numbers = names.map { $0.version ?? Schema.Version(0, 0, 0) }
        return !shared.isEmpty && Set(numbers).count == numbers.count
    }
}

extension String {
    fileprivate func withoutSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
