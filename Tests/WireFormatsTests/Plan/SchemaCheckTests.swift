import Testing

@testable import WireFormats

/// Declarations that are invalid in a single version.
@Suite struct SchemaCheckTests {
    @Test("S1_03: an entity declared twice is refused")
    func anEntityDeclaredTwiceIsRefused() {
        expectOnly(
            .duplicate,
            Toy.problems({
                Models {
                    Model("A") { Attribute("a", .int) }; Model("A") { Attribute("b", .int) }
                }
            }),
            saying: "entity A, 0.0.1")
    }

    @Test func anAttributeDeclaredTwiceIsRefused() {
        let problems = Toy.problems({
            Models {
                Model("A") {
                    Attribute("a", .int); Attribute("a", .string)
                }
            }
        })
        expectOnly(.duplicate, problems, saying: "A.a, 0.0.1")
    }

    @Test func anAttributeAndARelationshipOfOneNameAreRefused() {
        let problems = Toy.problems({
            Models {
                Model("A") {
                    Attribute("a", .int); Relationship("a", toOne: "A")
                }
            }
        })
        expectOnly(.duplicate, problems, saying: "A.a, 0.0.1")
    }

    @Test func theIdentityIsNotAlsoAnAttribute() {
        expectOnly(
            .duplicate,
            Toy.problems({
                Models {
                    Model("A") {
                        Identity("id"); Attribute("id", .uuid)
                    }
                }
            }), saying: "A.id")
    }

    @Test func aRenamingOntoAnInheritedNameIsRefused() {
        let problems = Toy.problems(
            {
                Models {
                    Model("A") {
                        Attribute("a", .int); Attribute("b", .int)
                    }
                }
            },
            {
                Models {
                    Inherits(Toy.V1.self); Model("A") { Attribute("b", .int, originalName: "a") }
                }
            })
        expectOnly(.duplicate, problems, saying: "A.b, 0.0.2")
    }

    @Test func anEntityRenamedOntoAnInheritedNameIsRefused() {
        let problems = Toy.problems(
            {
                Models {
                    Model("A") { Attribute("a", .int) }; Model("B") { Attribute("b", .int) }
                }
            },
            {
                Models {
                    Inherits(Toy.V1.self); Model("B", originalName: "A")
                }
            })
        expectOnly(.duplicate, problems, saying: "entity B, 0.0.2")
    }

    @Test func twoVersionsToInheritFromAreRefused() {
        let problems = Toy.problems(
            { Models { Model("A") { Attribute("a", .int) } } },
            { Models { Model("B") { Attribute("b", .int) } } },
            {
                Models {
                    Inherits(Toy.V1.self); Inherits(Toy.V2.self)
                }
            })
        #expect(problems.contains { $0.code == .duplicate && $0.subject.contains("0.0.3") }, "\(problems)")
    }

    @Test func whatIsInheritedDoesNotDependOnWhereItIsSaid() throws {
        let plan = try Toy.plan(
            { Models { Model("A") { Attribute("a", .int) } } },
            {
                Models {
                    Model("B") { Attribute("b", .int) }; Inherits(Toy.V1.self)
                }
            })
        #expect(plan.schemas[1].entities.map(\.name) == ["A", "B"])
    }

    @Test(arguments: [
        (AttributeType.int, Default.string("1")), (.bool, 1), (.string, 1), (.date, "2024-01-01"), (.uuid, .creation),
        (.enumeration("Kind", ["a"]), "b"), (.decimal, "abc"), (.double, .double(.nan)), (.double, .double(.infinity)),
        (.string, "\u{0}"), (.string, .attribute("other")), (.array(of: .string), "[]"),
    ])
    func aDefaultOfAnotherTypeIsRefused(type: AttributeType, standard: Default) {
        let problems = Toy.problems({
            Models {
                Model("A") {
                    Attribute("other", .string); Attribute("a", type, default: standard)
                }
            }
        })
        expectOnly(.badDefault, problems, saying: "A.a, 0.0.1", "\(type)")
    }

    @Test func whatManyRecordsWouldHoldCannotBeUnique() {
        let problems = Toy.problems {
            Models { Model("A") { Attribute("a", .string, .unique, default: "") } }
        }
        expectOnly(.badUnique, problems, saying: "A.a, 0.0.1", "default", "optional")
        let real = Toy.problems { Models { Model("A") { Attribute("a", .double.optional, .unique) } } }
        expectOnly(.badUnique, real, saying: "A.a, 0.0.1", "Double")
        #expect(Toy.problems { Models { Model("A") { Attribute("a", .string.optional, .unique) } } } == [])
    }

    @Test("S1_04: a target that is no model of the version is refused, with the models that are")
    func aTargetThatIsNoModelIsRefusedWithTheModels() {
        let problems = Toy.problems({
            Models {
                Model("Photo") { Relationship("owner", toOne: "Profil") }; Model("Profile") { Attribute("a", .int) }
            }
        })
        expectOnly(.unknownTarget, problems, saying: "Photo.owner, 0.0.1", "‘Profil’", "Profile")
    }

    @Test(arguments: [Schema.Scope.local, .synced]) func whatIsSyncedDoesNotReferToWhatIsLocal(scope: Schema.Scope) {
        let problems = Toy.problems({
            Models {
                Model("A", scope: scope) { Relationship("b", toOne: "B") }
                Model("B", scope: scope == .local ? .synced : .local) { Attribute("a", .int) }
            }
        })
        expectOnly(.unknownTarget, problems, saying: "A.b, 0.0.1", "local", "synced", ".uuid")
    }

    @Test("S1_05: an inverse that is not there is refused, with the candidates")
    func anInverseThatIsNotThereIsRefusedWithTheCandidates() {
        let problems = Toy.problems({
            Models {
                Model("A") { Relationship("bs", toMany: "B", inverse: "owner") }
                Model("B") { Relationship("a", toOne: "A") }
            }
        })
        #expect(problems.contains { $0.code == .unknownInverse && "\($0)".contains("B.a") }, "\(problems)")
        #expect(problems.allSatisfy { $0.code == .unknownInverse && $0.subject.contains("A.bs, 0.0.1") }, "\(problems)")
    }

    @Test func aToManyWithoutAToOneIsRefused() {
        let problems = Toy.problems({
            Models {
                Model("A") { Relationship("bs", toMany: "B") }; Model("B") { Attribute("b", .int) }
            }
        })
        expectOnly(.unknownInverse, problems, saying: "A.bs, 0.0.1", "toOne: \"A\"", "in B")
    }

    @Test("S1_05: two relationships that claim one inverse are refused")
    func twoRelationshipsThatClaimOneInverseAreRefused() {
        let problems = Toy.problems({
            Models {
                Model("A") {
                    Relationship("x", toOne: "B", inverse: "a"); Relationship("y", toOne: "B", inverse: "a")
                }
                Model("B") { Relationship("a", toOne: "A") }
            }
        })
        #expect(!problems.isEmpty && problems.allSatisfy { $0.code == .unknownInverse }, "\(problems)")
    }

    @Test func anInverseIsStatedOnOneSideAndKnownOnBoth() throws {
        let plan = try Toy.plan({
            Models {
                Model("A") { Relationship("bs", toMany: "B", deleteRule: .cascade, inverse: "a") }
                Model("B") { Relationship("a", toOne: "A") }
            }
        })
        #expect(plan.schemas[0].entity("B")?.relationships.first?.inverse == "bs")
        #expect(plan.hub.entities[1].references.map(\.diesWithTarget) == [true])
    }
}
