/// A file with every declaration that facts can express.
enum Sample {
    static let text = #"""
        // A file.
        import SwiftData

        #if swift(>=6)
        protocol Named { var name: String { get } }
        #endif
        actor Store {}
        typealias Trip = SchemaV1.Trip

        enum SchemaV1: VersionedSchema {
            static let versionIdentifier = Schema.Version(1, 0, 0)
            static var models: [any PersistentModel.Type] { [Trip.self] }
        }

        extension SchemaV1 {
            /// A trip.
            @Model @available(iOS 17, *) public final class Trip<Of>: Named {
                #Unique<Trip>([\.name], [\.start])
                #if DEBUG
                #Index<Trip>([\.name])
                #endif
                @Attribute(.unique, originalName: "x") var name: String = "a\n\u{41}"
                @Relationship(deleteRule: .cascade, inverse: \Day.trip) private(set) var days: [Day]? = []
                // Numbers.
        @Transient lazy var a, b: (Int, Int) = make(1) { $0 }
                var kinds: Set<Kind> = [.home], marks: [String: Int?] = ["a": -1_0, "b": nil], rate = -0.5, on = true
                let (p, q) = (1, 2)
                var start = Date.now { didSet { f() } }
                var text = """
                    one \(two)
                    """
                #if os(iOS)
                @Attribute(.externalStorage)
                #endif
                var picture: Data?
                #if os(iOS)
                var phone: Data?
                #else
                var desk: Data!
                #endif
                var run = { (x: Int) in x + 1 }
                init(name: String) { self.name = name }
            }
            struct Note: Codable { var `in`: Int { get { 1 } set {} } }
        }

        enum Kind: String, Codable {
            case home = "h", work
            #if DEBUG
            case other(Int)
            #endif
        }
        """#
}
