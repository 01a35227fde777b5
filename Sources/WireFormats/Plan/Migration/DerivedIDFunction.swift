/// An SQL function for the default `.newID`. It derives an id from a record's id exactly as `ID.derived(for:)` does.
struct DerivedIDFunction {
    let qualifiedName: String
    /// The attribute's name in the version that introduced the attribute.
    let name: String

    /// The statement that creates the function. PostgreSQL has no unsigned integers. So products and sums are computed
    /// as decimals modulo 2^64, and stored in a bigint with the same bits.
    var text: String {
        // A line comment in SQL ends at a line break.
        let word = name.contains { $0.isNewline } ? "the name" : name
        let bytes = name.utf8.map { "\($0)" }.joined(separator: ", ")
        return """
            -- What `.newID` is in Swift: FNV-1a of ‘\(word)’, begun with the id, seeds SplitMix64, whose
            -- first two numbers are the new id.
            CREATE FUNCTION \(qualifiedName)(id uuid) RETURNS uuid
                LANGUAGE plpgsql IMMUTABLE
                SET search_path = pg_catalog
            AS $$
            DECLARE
                whole CONSTANT numeric := 18446744073709551616;
                half CONSTANT numeric := 9223372036854775808;
                digits CONSTANT text := replace(id::text, '-', '');
                letter integer;
                state bigint := X'cbf29ce484222325'::bigint # ('x' || left(digits, 16))::bit(64)::bigint;
                mixed bigint;
                made bigint[];
            BEGIN
                FOREACH letter IN ARRAY ARRAY[\(bytes)]::integer[] LOOP
                    state := state # letter;
                    state := mod(mod(state * 1099511628211::numeric + half, whole) + whole, whole) - half;
                END LOOP;
                state := state # ('x' || right(digits, 16))::bit(64)::bigint;
                FOR number IN 1..2 LOOP
                    state := mod(state + 11400714819323198485 + half, whole) - half;
                    mixed := state # ((state >> 30) & 17179869183);
                    mixed := mod(mod(mixed * 13787848793156543929 + half, whole) + whole, whole) - half;
                    mixed := mixed # ((mixed >> 27) & 137438953471);
                    mixed := mod(mod(mixed * 10723151780598845931 + half, whole) + whole, whole) - half;
                    made[number] := mixed # ((mixed >> 31) & 8589934591);
                END LOOP;
                RETURN lpad(to_hex((made[1] & ~61440::bigint) | 32768), 16, '0')
                    || lpad(to_hex((made[2] & 4611686018427387903) | (1::bigint << 63)), 16, '0');
            END
            $$;
            """
    }
}
