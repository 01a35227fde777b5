/// The types that are exchanged with PostgreSQL, always in its binary format.
///
/// Object identifiers are those of `pg_type.dat`; they are fixed for built-in types.
package enum SQLType: Sendable, Hashable, CaseIterable {
    case bool, int8, float8, numeric, text, timestamptz, uuid, bytea, json

    /// The `pg_type.oid` of the type.
    package var oid: UInt32 {
        switch self {
        case .bool: 16
        case .bytea: 17
        case .int8: 20
        case .text: 25
        case .json: 114
        case .float8: 701
        case .timestamptz: 1184
        case .numeric: 1700
        case .uuid: 2950
        }
    }

    /// The `pg_type.typarray` of the type: the object identifier of its one-dimensional array.
    package var arrayOID: UInt32 {
        switch self {
        case .bool: 1000
        case .bytea: 1001
        case .int8: 1016
        case .text: 1009
        case .json: 199
        case .float8: 1022
        case .timestamptz: 1185
        case .numeric: 1231
        case .uuid: 2951
        }
    }

    /// The type's name in SQL, for casts such as `$1::uuid`. With `[]` appended, it is the name of the array type.
    package var name: String {
        switch self {
        case .bool: "boolean"
        case .bytea: "bytea"
        case .int8: "bigint"
        case .text: "text"
        case .json: "json"
        case .float8: "double precision"
        case .timestamptz: "timestamptz"
        case .numeric: "numeric"
        case .uuid: "uuid"
        }
    }

    /// Returns true if `Rows` can read a column of the type with the object identifier `oid` as this type. For example,
    /// a `smallint` can be read as `int8`.
    func reads(_ oid: UInt32) -> Bool {
        switch self {
        // smallint, integer, oid; real; char, name, varchar.
        case .int8: [20, 21, 23, 26].contains(oid)
        case .float8: [701, 700].contains(oid)
        case .text: [25, 1043, 1042, 19, 18].contains(oid)
        case .bool, .numeric, .timestamptz, .uuid, .bytea, .json: self.oid == oid
        }
    }
}
