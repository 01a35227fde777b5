/// The ways in which a database keeps what servers see out of the census, of 0.0.3 at least.
enum CensusBreakage: String, CaseIterable, Sendable {
    case raise, null, nullForEach, check, rule, policy, restrictivePolicy, otherVersion, otherDevice, deletedAfter
    case deletedAtTheEnd, raisedAtTheEnd, locked, noFunction, diskFull
    /// Only what is known already is not written again.
    case oldTime, nullUpdate
    /// The server cannot say either that it failed.
    case readOnly, noWord

    /// True if only a device that is known already is kept out.
    var isOfKnownDevices: Bool { self == .oldTime || self == .nullUpdate }

    /// True if the server's rows of the census cannot be written either.
    var silencesServers: Bool { self == .readOnly || self == .noWord }

    /// True if the gate cannot read the rows that exist either.
    var hidesRows: Bool { self == .policy || self == .restrictivePolicy }

    private static let table = "sync.census_device"

    /// As superuser.
    var statements: String {
        switch self {
        case .raise: trigger("BEFORE INSERT OR UPDATE", "RAISE EXCEPTION 'no';")
        case .null: trigger("BEFORE INSERT", "RETURN NULL;")
        case .nullForEach: trigger("BEFORE INSERT", "IF NEW.version = '0.0.3' THEN RETURN NULL; END IF; RETURN NEW;")
        case .check: "ALTER TABLE \(Self.table) ADD CONSTRAINT broken CHECK (version <> '0.0.3') NOT VALID"
        case .rule: "CREATE RULE broken AS ON INSERT TO \(Self.table) DO INSTEAD NOTHING"
        case .policy: walled + ";"
        case .restrictivePolicy:
            "\(walled); CREATE POLICY all_of_it ON \(Self.table) USING (true) WITH CHECK (true); "
                + "CREATE POLICY broken ON \(Self.table) AS RESTRICTIVE USING (version <> '0.0.3') WITH CHECK (true)"
        case .otherVersion: trigger("BEFORE INSERT", "NEW.version := '9.9.9'; RETURN NEW;")
        case .otherDevice: trigger("BEFORE INSERT", "NEW.device := gen_random_uuid(); RETURN NEW;")
        case .deletedAfter:
            trigger("AFTER INSERT OR UPDATE", "DELETE FROM sync.census_device WHERE version = '0.0.3'; RETURN NULL;")
        case .deletedAtTheEnd:
            deferred("DELETE FROM sync.census_device WHERE version = '0.0.3'; RETURN NULL;")
        case .raisedAtTheEnd: deferred("RAISE EXCEPTION 'no';")
        // What waits for a lock in vain ends with an error.
        case .locked: trigger("BEFORE INSERT", "RAISE EXCEPTION 'no' USING ERRCODE = '55P03';")
        case .noFunction:
            """
            REVOKE EXECUTE ON FUNCTION sync.see_devices(
                timestamptz, bigint, text[], uuid[], text[], timestamptz[], timestamptz[], bigint[], text[])
            FROM syncserver_serving
            """
        case .diskFull: trigger("BEFORE INSERT", "RAISE EXCEPTION 'no' USING ERRCODE = '53100';")
        case .oldTime: trigger("BEFORE UPDATE", "NEW.last_seen := OLD.last_seen; RETURN NEW;")
        case .nullUpdate: trigger("BEFORE UPDATE", "RETURN NULL;")
        case .readOnly: everywhere("RAISE EXCEPTION 'no' USING ERRCODE = '25006';")
        case .noWord: everywhere("RETURN NULL;")
        }
    }

    /// Takes it back.
    var remedy: String {
        switch self {
        case .check: "ALTER TABLE \(Self.table) DROP CONSTRAINT IF EXISTS broken"
        case .rule: "DROP RULE IF EXISTS broken ON \(Self.table)"
        case .policy, .restrictivePolicy:
            "DROP POLICY IF EXISTS broken ON \(Self.table); DROP POLICY IF EXISTS all_of_it ON \(Self.table); "
                + "ALTER TABLE \(Self.table) NO FORCE ROW LEVEL SECURITY; "
                + "ALTER TABLE \(Self.table) DISABLE ROW LEVEL SECURITY"
        case .noFunction:
            statements.replacing("REVOKE", with: "GRANT").replacing("FROM syncserver", with: "TO syncserver")
        default:
            "DROP TRIGGER IF EXISTS broken ON \(Self.table); DROP TRIGGER IF EXISTS broken ON sync.census_server"
        }
    }

    private var walled: String {
        "ALTER TABLE \(Self.table) ENABLE ROW LEVEL SECURITY; ALTER TABLE \(Self.table) FORCE ROW LEVEL SECURITY"
    }

    private func trigger(_ event: String, _ body: String, of table: String = "census_device") -> String {
        """
        CREATE OR REPLACE FUNCTION public.broken_\(table)() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN \(body) END $$;
        CREATE TRIGGER broken \(event) ON sync.\(table)
            FOR EACH ROW EXECUTE FUNCTION public.broken_\(table)();
        """
    }

    private func everywhere(_ body: String) -> String {
        ["census_device", "census_server"].map { trigger("BEFORE INSERT OR UPDATE", body, of: $0) }.joined()
    }

    private func deferred(_ body: String) -> String {
        trigger("AFTER INSERT", body).replacing("CREATE TRIGGER", with: "CREATE CONSTRAINT TRIGGER")
            .replacing("FOR EACH ROW", with: "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW")
    }
}
