// The statement `data`: signals as functions in expressions.
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "expr/curve.hpp"
#include "expr/print.hpp"
#include "lang/lang.hpp"

namespace lacon {
namespace {

namespace fs = std::filesystem;

/// A model in a folder of its own, beside the files it reads.
class DataStatement : public testing::Test {
protected:
    DataStatement()
        : folder(fs::path(testing::TempDir()) / ("lacon_data_" + std::to_string(getpid()))) {
        fs::remove_all(folder);
        fs::create_directories(folder);
        put("ramp.csv", "t,a,b\n0,1,0\n1,3,4\n2,5,0\n");
    }
    ~DataStatement() override { fs::remove_all(folder); }

    void put(const std::string& name, const std::string& text) const {
        std::ofstream(folder / name, std::ios::binary) << text;
    }
    /// The report on a text, the folder's name taken away.
    std::string errors(const std::string& text) const {
        const SourceText source((folder / "m.lac").string(), text);
        std::string report = render(parse_model(source).diagnostics, source);
        for (std::size_t at; (at = report.find(folder.string() + "/")) != report.npos;)
            report.erase(at, folder.string().size() + 1);
        return report;
    }
    Model read(const std::string& text) const {
        const SourceText source((folder / "m.lac").string(), text);
        Parsed parsed = parse_model(source);
        EXPECT_TRUE(parsed.model) << render(parsed.diagnostics, source);
        return parsed.model ? std::move(*parsed.model) : Model();
    }
    std::string potential(const std::string& text, const std::string& expression) const {
        const Model model = read(text + "coord x\nparam k = 2\npotential " + expression + "\n");
        Graph graph = model.graph;
        return model.potential.empty()
                   ? ""
                   : to_text(graph, model.forms.expression(model.potential.front().value, graph));
    }

    fs::path folder;
};

TEST_F(DataStatement, ColumnsFormAndEndsAreAsWritten) {
    const Model model = read(
        "data d = \"ramp.csv\" column \"b\" against 1 monotone beyond repeat\n"
        "data e = \"ramp.csv\"\n"
        "data f = \"ramp.csv\" beyond hold against \"a\" column 1\ncoord x\n");
    ASSERT_EQ(model.data.size(), 3u);
    const Curve &d = *model.data[0].curve, &e = *model.data[1].curve, &f = *model.data[2].curve;
    EXPECT_EQ(d.name(), "d");
    EXPECT_EQ(d.form(), Curve::Form::monotone);
    EXPECT_EQ(d.beyond(), Curve::Beyond::repeat);
    EXPECT_EQ(d.at(0, 3.0), 4.0);
    EXPECT_EQ(e.form(), Curve::Form::natural);
    EXPECT_EQ(e.beyond(), Curve::Beyond::refuse);
    EXPECT_EQ(e.at(0, 0.5), 2.0);
    EXPECT_EQ(f.at(0, 2.0), 0.5);
    EXPECT_EQ(f.at(0, 9.0), 2.0);
}

TEST_F(DataStatement, IsAFunctionInAnyExpressionBeforeItToo) {
    const std::string d = "data d = \"ramp.csv\"\n";
    EXPECT_EQ(potential(d, "k*d(x^2)"), "k*d(x^2)");
    EXPECT_EQ(potential(d, "d(0.5)*x"), "2*x");
    EXPECT_EQ(potential(d, "d'(x)"), "d'(x)");
    EXPECT_EQ(potential(d, "d'(0.25)*x"), "2*x");
    const Model model =
        read("coord x\nforce x = d(t)\ndata d = \"ramp.csv\"\nequation x: x'' = d(x)'\n");
    ASSERT_EQ(model.equations.size(), 1u);
}

TEST_F(DataStatement, ATimeDerivativeGoesByTheChainRule) {
    const std::string d = "data d = \"ramp.csv\"\n";
    const Model model = read(d + "coord x\nlet p = d(x*t)\noutput v = p', w = d(t)'\n");
    EXPECT_EQ(to_text(model.graph, model.outputs[0].value), "(x + t*x')*d'(t*x)");
    EXPECT_EQ(to_text(model.graph, model.outputs[1].value), "d'(t)");
}

TEST_F(DataStatement, NamesItselfInLatex) {
    const Model model = read("data ground_1 = \"ramp.csv\"\ncoord x\npotential ground_1'(x)\n");
    Graph graph = model.graph;
    EXPECT_EQ(to_latex(graph, model.forms.expression(model.potential.front().value, graph)),
              "\\mathrm{ground}_{1}'\\left(x\\right)");
}

TEST_F(DataStatement, HasOneForm) {
    Diagnostics diagnostics;
    const SourceText text("m.lac",
                          "coord  x\ndata d=\"ramp.csv\"   column 2 against \"t\"  monotone beyond "
                          "  hold\nforce x=d( t )+d'( t )\n");
    const auto form = format_model(text, diagnostics);
    ASSERT_TRUE(form) << render(diagnostics, text);
    EXPECT_NE(form->find("data d = \"ramp.csv\" column 2 against \"t\" monotone beyond hold\n"),
              std::string::npos)
        << *form;
    EXPECT_NE(form->find("force x = d(t) + d'(t)\n"), std::string::npos) << *form;
}

TEST_F(DataStatement, FaultsOfTheFileShowItsRowAndColumnAtTheModelsPlace) {
    put("quake.csv", "t,a\n0,1\n0.5,2\n1,abc\n");
    EXPECT_EQ(errors("coord x\n\ndata ground = \"quake.csv\"\nforce x = ground(t)\n"),
              "m.lac:3:15: error: 'quake.csv' row 4, column 2: 'abc' is not a number\n"
              "  data ground = \"quake.csv\"\n"
              "                ^~~~~~~~~~~\n");
    EXPECT_EQ(
        errors("coord x\ndata d = \"none.csv\"\n"),
        "m.lac:2:10: error: cannot read 'none.csv': there is no such file in the model's folder\n"
        "  data d = \"none.csv\"\n"
        "           ^~~~~~~~~~\n");
    EXPECT_EQ(errors("coord x\ndata d = \"../secret.csv\"\n"),
              "m.lac:2:10: error: '../secret.csv' is outside the model's folder and is not read\n  "
              "data d = \"../secret.csv\"\n           ^~~~~~~~~~~~~~~\n  hint: put the file in the "
              "model's folder or in one below it\n");
    EXPECT_EQ(errors("coord x\ndata d = \"ramp.csv\" column \"bb\"\n"),
              "m.lac:2:10: error: 'ramp.csv' has no column 'bb'; it has 't', 'a' and 'b'\n"
              "  data d = \"ramp.csv\" column \"bb\"\n"
              "           ^~~~~~~~~~\n"
              "  hint: did you mean 'b'?\n");
}

TEST_F(DataStatement, CannotRepeatWhatDoesNotClose) {
    EXPECT_EQ(errors("coord x\ndata d = \"ramp.csv\" beyond repeat\n"),
              "m.lac:2:28: error: 'ramp.csv' cannot repeat: it begins with 1 and ends with 5\n  "
              "data d = \"ramp.csv\" beyond repeat\n                             ^~~~~~\n  hint: "
              "the last row must repeat the value of the first, one period later\n");
}

/// The first line of a report, from behind the place.
std::string message(const std::string& report) {
    const std::size_t begin = report.find("error: ");
    return begin == report.npos ? report : report.substr(begin + 7, report.find('\n') - begin - 7);
}

TEST_F(DataStatement, IsRefusedWhereItIsNotUnderstood) {
    const std::string d = "coord x\ndata d = \"ramp.csv\"\n";
    EXPECT_EQ(message(errors("data d(t) = \"ramp.csv\"\n")),
              "data is declared without an argument");
    EXPECT_EQ(message(errors("data d[1] = \"ramp.csv\"\n")), "data cannot be a member of a family");
    EXPECT_EQ(message(errors("data d = ramp\n")),
              "the name of a file, a text in quotes, is expected here, but there is 'ramp'");
    EXPECT_EQ(
        message(errors("data d = \"ramp.csv\" column x\n")),
        "a column, by its number or by its name in quotes, is expected here, but there is 'x'");
    EXPECT_EQ(message(errors("data d = \"ramp.csv\" column 0\n")), "'0' is not a column number");
    EXPECT_EQ(message(errors("data d = \"ramp.csv\" column 1.5\n")),
              "'1.5' is not a column number");
    EXPECT_EQ(message(errors("data d = \"ramp.csv\" beyond holds\n")),
              "data cannot 'holds' beyond its ends");
    EXPECT_EQ(message(errors("data d = \"ramp.csv\" for i in 1..2\n")),
              "'data' applies to the whole model and cannot be repeated");
    EXPECT_EQ(message(errors(d + "force x = d\n")),
              "'d' is data and needs its argument in brackets");
    EXPECT_EQ(message(errors(d + "force x = d(1, 2)\n")),
              "'d' takes 1 argument, but is given 2 here");
    EXPECT_EQ(message(errors(d + "force x = d()\n")), "'d' takes 1 argument, but is given 0 here");
    EXPECT_EQ(message(errors(d + "force x = d((x, x))\n")),
              "'d' takes a scalar, but it is given a vector of 2 components");
    EXPECT_EQ(message(errors(d + "force x = d(7)\n")),
              "data 'd' has no value at 7: it goes from 0 to 2");
    EXPECT_EQ(message(errors(d + "force x = x'(t)\n")),
              "'x' is not data: only data has a derivative by its argument, written this way");
    EXPECT_EQ(message(errors(d + "coord d\n")).substr(0, 3), "'d'");
}

}  // namespace
}  // namespace lacon
