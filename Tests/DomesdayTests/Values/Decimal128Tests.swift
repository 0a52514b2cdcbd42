import CDecimal
import Foundation
import Testing

@testable import Domesday

private func decimal(_ text: String) -> Decimal128 {
    DecimalNumber(text).map { Decimal128($0) } ?? .nan
}

@Suite("Decimal128")
struct Decimal128Tests {
    @Test(
        "text reads, and prints as the same digits and exponent",
        arguments: [
            ("0", "0"), ("-0", "-0"), ("1.0", "1.0"), ("1.00", "1.00"), ("12.50", "12.50"),
            ("+7", "7"), (".5", "0.5"), ("5.", "5"), ("00012", "12"), ("1e3", "1E+3"),
            ("1E-7", "1E-7"), ("0.000001", "0.000001"), ("123456.789E-3", "123.456789"),
            ("-1.5E+10", "-1.5E+10"), ("9.99e6100", "9.99E+6100"), ("1e-6176", "1E-6176"),
            ("Infinity", "Inf"), ("-inf", "-Inf"), ("NaN", "NaN"), ("nan", "NaN"),
            ("0E+3", "0E+3"), ("0.00", "0.00"), ("1e6112", "1.0E+6112"),
            ("1234567890123456789012345678901234", "1234567890123456789012345678901234"),
        ]
    )
    func text(_ written: String, _ printed: String) throws {
        let value = try Decimal128(string: written)
        #expect(value.stringValue == printed)
        #expect(value.isNaN || decimal(printed) == value)
    }

    @Test(
        "what is no number is refused",
        arguments: [
            "", " ", "1 ", "1,5", ".", "e5", "1e", "1e+", "--1", "0x10", "1.2.3", "infin", "٣",
        ]
    )
    func refused(_ text: String) {
        #expect(throws: Realm.Error.self) { try Decimal128(string: text) }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Decimal128.self, from: JSONEncoder().encode(text))
        }
    }

    @Test(
        "more digits than 34 are rounded to the nearest, half to even, once",
        arguments: [
            ("12345678901234567890123456789012345", "1.234567890123456789012345678901234E+34"),
            ("12345678901234567890123456789012335", "1.234567890123456789012345678901234E+34"),
            ("12345678901234567890123456789012345e9", "1.234567890123456789012345678901234E+43"),
            ("123456789012345678901234567890123450001", "1.234567890123456789012345678901235E+38"),
            ("99999999999999999999999999999999995", "1.000000000000000000000000000000000E+35"),
            // Far beyond what the library looks at.
            (
                "1234567890123456789012345678901234.5" + String(repeating: "0", count: 300) + "1",
                "1234567890123456789012345678901235"
            ),
            ("1234567890123456789012345678901234.5", "1234567890123456789012345678901234"),
            // Below the least exponent digits go before there are 34, and are rounded once.
            ("0.5e-6176", "0E-6176"), ("1.5e-6176", "2E-6176"), ("2.5e-6176", "2E-6176"),
            ("0.50001e-6176", "1E-6176"), ("1e-6200", "0E-6176"), ("4.9e-6177", "0E-6176"),
            ("1e6145", "Inf"), ("-1e6145", "-Inf"), ("1e99999999999999999999", "Inf"),
            ("1e-99999999999999999999", "0E-6176"), ("0e99999999999999999999", "0E+6111"),
        ]
    )
    func rounding(_ written: String, _ printed: String) throws {
        #expect(try Decimal128(string: written).stringValue == printed)
    }

    @Test("sums of decimals are exact, and arithmetic rounds half to even")
    func arithmetic() {
        #expect(decimal("0.1") + decimal("0.2") == decimal("0.3"))
        #expect((decimal("0.1") + decimal("0.2")).stringValue == "0.3")
        #expect((0..<1000).reduce(Decimal128()) { sum, _ in sum + "0.001" } == 1)
        #expect(decimal("1.30") * decimal("1.2") == decimal("1.560"))
        #expect((decimal("1") / 3).stringValue == "0.3333333333333333333333333333333333")
        #expect((decimal("2") / 3).stringValue == "0.6666666666666666666666666666666667")
        #expect(decimal("1e34") + 1 == decimal("1e34"), "a tie goes to the even digit")
        let (odd, even) = (
            decimal("1234567890123456789012345678901235"),
            decimal("1234567890123456789012345678901234")
        )
        #expect((odd + "0.5").stringValue.hasSuffix("236"))
        #expect((even + "0.5").stringValue.hasSuffix("234"))
        #expect(Decimal128.max + Decimal128.max == .infinity)
        #expect((decimal("1") / 0) == .infinity)
        #expect((decimal("-1") / 0) == -.infinity)
        #expect((decimal("0") / 0).isNaN)
        #expect(Decimal128.max.stringValue == "9.999999999999999999999999999999999E+6144")
        #expect(Decimal128.min == -Decimal128.max)
        var value: Decimal128 = 5
        value *= 2
        value -= 3
        value /= 4
        value += 1
        value.negate()
        #expect(value == "-2.75")
        #expect(value.magnitude == 2.75)
        #expect(value.isNegative)
    }

    @Test("equal numbers hash alike; NaN equals nothing; signs of zero do not count")
    func equality() {
        let forms = ["1", "1.0", "1.000000", "10e-1", "0.1e1", "100000e-5"].map(decimal)
        #expect(Set(forms).count == 1)
        #expect(Set(["0", "-0", "0.000", "0e5000", "0e-6176"].map(decimal)).count == 1)
        #expect(Set([decimal("inf"), decimal("-inf"), .infinity]).count == 2)
        #expect(Decimal128.nan != .nan)
        #expect(!(Decimal128.nan < 1) && !(Decimal128.nan > 1))
        #expect(Decimal128(number: 0) == Decimal128())
        // An encoding that IEEE does not define is 0.
        #expect(Decimal128(DecimalNumber(low: .max, high: 0x6FFF << 48)) == 0)
    }

    @Test("numbers of other types become what they print")
    func conversion() throws {
        #expect(Decimal128(number: 0.1) == "0.1")
        #expect(Decimal128(number: NSNumber(value: 0.1 as Float)) == "0.1")
        #expect(Decimal128(number: NSNumber(value: UInt64.max)) == "18446744073709551615")
        #expect(Decimal128(number: NSNumber(value: Int64.min)) == "-9223372036854775808")
        let precise = try #require(Decimal(string: "1234567890123456789.012345678901234"))
        #expect(Decimal128(precise) == "1234567890123456789.012345678901234")
        #expect(decimal("1234567890123456789.012345678901234").decimalValue == precise)
        #expect(Decimal128(value: "1.5") == 1.5)
        #expect(Decimal128(value: 7 as Int8) == 7)
        #expect(Decimal128(exactly: UInt64.max) == "18446744073709551615")
        #expect(decimal("0.1").doubleValue == 0.1)
        #expect(decimal("1e400").doubleValue == .infinity)
        #expect(Decimal128(1.0 / 3.0).stringValue == "\(1.0 / 3.0)")
        #expect(Decimal128(Double.nan).isNaN && Decimal128(-Double.infinity) == -.infinity)
    }

    @Test("coding keeps every digit")
    func coding() throws {
        let values = ["0.10", "1E+6144", "-0", "1234567890123456789012345678901234", "NaN", "-Inf"]
            .map(decimal)
        let data = try JSONEncoder().encode(values)
        let back = try JSONDecoder().decode([Decimal128].self, from: data)
        #expect(back.map(\.stringValue) == values.map(\.stringValue))
        let numbers = try JSONDecoder().decode([Decimal128].self, from: Data("[1, 0.1, -7]".utf8))
        #expect(numbers == [1, "0.1", -7])
    }

    @Test("random numbers agree with the library, print, read back and order")
    func random() {
        var random = SplitMix64(seed: Scale.seed)
        var previous = decimal("0")
        for round in 0..<(2000 * Scale.factor) {
            let digits = (0..<Int.random(in: 1...34, using: &random)).map { _ in
                String(Int.random(in: 0...9, using: &random))
            }.joined()
            let exponent = Int.random(in: 0..<8, using: &random) == 0 ? 6111 : 40
            let sign = Bool.random(using: &random) ? "-" : ""
            let text =
                "\(sign)\(digits)e\(Int.random(in: -exponent...exponent, using: &random))"
            let number = decimal(text)
            let known = domesday_decimal_from_text(text)
            let note: Comment = "\(text), round \(round), seed \(Scale.seed)"
            #expect(number.number.low == known.low && number.number.high == known.high, note)
            let back = decimal(number.stringValue).number
            #expect(back.low == known.low && back.high == known.high, note)
            #expect((number < previous) == (previous > number), note)
            #expect(number - number == 0 && number + 0 == number, note)
            previous = number
        }
    }
}
