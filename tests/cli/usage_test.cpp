// The command line: slips are answered with what was probably meant; models and rows through
// standard streams.

#include <gtest/gtest.h>

#include "program.hpp"
#include "table/table.hpp"

namespace lacon {
namespace {

const std::string particle = "coord x\nkinetic x'^2/2\nstart x' = 1\nsimulate 0..1 every 0.25\n";

TEST(Usage, MistypedOptionsGetASuggestion) {
    const Folder folder;
    folder.write("p.lac", particle);
    const auto says = [&](const std::string& arguments, const std::string& sentence) {
        const Finished done = folder.run(arguments);
        EXPECT_EQ(done.status, 2) << arguments;
        EXPECT_EQ(done.err.substr(0, done.err.find('\n')), sentence) << arguments;
        EXPECT_EQ(done.out, "") << arguments;
    };
    says("run p.lac --tool 1e-9", "lacon run: there is no option '--tool'; did you mean '--tol'?");
    says("run p.lac --tool=1e-9", "lacon run: there is no option '--tool'; did you mean '--tol'?");
    says("run p.lac --tolerance 1e-9",
         "lacon run: there is no option '--tolerance'; did you mean '--tol'?");
    says("run p.lac --mehtod=rk4",
         "lacon run: there is no option '--mehtod'; did you mean '--method'?");
    says("run p.lac --output a.csv",
         "lacon run: there is no option '--output'; did you mean '--out'?");
    says("run p.lac -o a.csv", "lacon run: there is no option '-o'; did you mean '--out'?");
    says("eval p.lac -json", "lacon eval: there is no option '-json'; did you mean '--json'?");
    says("check p.lac --checkpoint c",
         "lacon check: there is no option '--checkpoint'; it belongs to 'run'");
    says("check p.lac --frobnicate", "lacon check: there is no option '--frobnicate'");
    says("run p.lac q.lac", "lacon run: unexpected argument 'q.lac'");
    says("runn p.lac", "lacon: there is no command 'runn'; did you mean 'run'?");
    says("p.lac", "lacon: there is no command 'p.lac'; did you mean 'lacon run p.lac'?");
    says("--versoin", "lacon: there is no option '--versoin'; did you mean '--version'?");
    says("help rnu", "lacon: there is no command 'rnu'; did you mean 'run'?");
    EXPECT_EQ(folder.run("run p.lac --json --tool 1").json()["message"],
              "lacon run: there is no option '--tool'; did you mean '--tol'?");
}

TEST(Usage, HelpAndVersionHaveTheirWords) {
    const Folder folder;
    EXPECT_EQ(folder.run("help").out, folder.run("--help").out);
    for (const std::string command :
         {"check", "eval", "run", "control", "exists", "explain", "fmt", "page", "plot", "view"}) {
        const Finished help = folder.run("help " + command);
        EXPECT_EQ(help.status, 0);
        EXPECT_EQ(help.out, folder.run(command + " --help").out) << command;
        EXPECT_NE(help.out.find("lacon " + command), std::string::npos) << help.out;
    }
    EXPECT_TRUE(folder.run("--version").out.starts_with("lacon "));
    EXPECT_EQ(folder.run("-V").out, folder.run("--version").out);
}

TEST(Usage, PagesSayWhatTheyLack) {
    const Folder folder;
    folder.write("p.lac", particle);
    folder.write("other.html", "<p>not the page</p>\n");
    const auto says = [&](const std::string& page, const std::string& options, int status,
                          const std::string& words) {
        const Finished done =
            folder.run("run p.lac --quiet --page " + options, "LACON_PAGE=" + page + " ");
        EXPECT_EQ(done.status, status) << options;
        EXPECT_NE(done.err.find(words), std::string::npos) << options << ": " << done.err;
    };
    says("none.html", "a.html", 2, "install nodejs and npm, and build again");
    says("other.html", "a.htm", 2, "'a.htm' must end in .html");
    says("other.html", "none/a.html", 2, "none");
    says("other.html", "a.html", 1, "is not the file that web/ is built to");
    says("other.html", "a.html --resume c.json", 2, "a resumed run has only the rows since");
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "a.html"));
}

TEST(Usage, LivePagesSayWhatTheyLack) {
    const Folder folder;
    folder.write("p.lac", particle);
    std::filesystem::create_directory(folder.path() / "empty");
    const auto says = [&](const std::string& arguments, const std::string& words) {
        const Finished done = folder.run("view --no-open " + arguments, "LACON_PAGE=none.html ");
        EXPECT_EQ(done.status, 2) << arguments;
        EXPECT_NE(done.err.find(words), std::string::npos) << arguments << ": " << done.err;
    };
    says("none.lac", "lacon view: cannot read 'none.lac': there is no such file");
    says("empty", "the folder 'empty' has no models (.lac)");
    says("p.lac", "install nodejs and npm, and build again");
    says("p.lac --port 70000", "70000");
    says("p.lac --prot 8000", "did you mean '--port'?");
}

TEST(Usage, HelpFitsIntoAHundredColumns) {
    const Folder folder;
    for (const char* command : {"", "check", "eval", "run", "control", "exists", "explain", "fmt",
                                "page", "plot", "view", "help"}) {
        std::istringstream help(folder.run(std::string(command) + " --help").out);
        for (std::string line; std::getline(help, line);) EXPECT_LE(line.size(), 100U) << line;
    }
}

TEST(Usage, AModelFromStandardInputIsOneFromAFile) {
    const Folder folder;
    folder.write("road.csv", "0,0\n0.5,1\n1,0\n");
    folder.write("p.lac", "data road = \"road.csv\"\nmodel \"On a road\"\n" + particle +
                              "force x = road(t)\n");
    for (const std::string command : {"check", "eval", "explain", "fmt"})
        EXPECT_EQ(folder.run(command + " - --json <p.lac").json()["status"],
                  folder.run(command + " p.lac --json").json()["status"]);
    EXPECT_EQ(folder.run("eval - --json <p.lac").out, folder.run("eval p.lac --json").out);
    EXPECT_EQ(folder.run("run - --json <p.lac").json()["final"],
              folder.run("run p.lac --json").json()["final"]);
    folder.write("bad.lac", "coord x\nkinetic mass*x'^2\n");
    EXPECT_NE(folder.run("check - <bad.lac").err.find("<stdin>:2:9: error:"), std::string::npos);
    EXPECT_EQ(folder.run("fmt -i - <p.lac").status, 2);
    folder.write("c.lac",
                 "param m = 1\ncoord x\nkinetic m*x'^2/2\ncontrol go: x = sin(t) by motor = x gain "
                 "4 4\nsimulate 0..1\n");
    EXPECT_EQ(folder.run("run - --plant m=2 --json <c.lac").json()["final"],
              folder.run("run c.lac --plant m=2 --json").json()["final"]);
}

TEST(Usage, RowsOnStandardOutputAreTheFileAndNothingElse) {
    const Folder folder;
    folder.write("p.lac", particle);
    ASSERT_EQ(folder.run("run p.lac --quiet --out p.csv").status, 0);
    const Finished done = folder.run("run p.lac --out -");
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, file_text(folder.path() / "p.csv"));
    EXPECT_NE(done.err.find("t = 0 .. 1"), std::string::npos) << done.err;
    EXPECT_EQ(folder.run("run - --quiet --out - <p.lac").out, done.out);
    EXPECT_EQ(folder.run("run p.lac --json --out -").err,
              "--out: rows and --json cannot share standard output; write the rows to a file\n");
    EXPECT_EQ(folder.run("run p.lac --checkpoint c --out -").err,
              "--out: rows on standard output cannot be continued by a resumed run; give a file\n");
    folder.write("c.lac",
                 "coord x\nkinetic x'^2/2\ncontrol go: x = sin(t) by motor = x gain 4 4\nsimulate "
                 "0..1 every 0.5\n");
    ASSERT_EQ(folder.run("control c.lac --quiet --out c.csv").status, 0);
    EXPECT_EQ(folder.run("control c.lac --out -").out, file_text(folder.path() / "c.csv"));
}

TEST(Usage, FilesOfOtherKindsAreNamed) {
    const Folder folder;
    const std::string robot =
        "this is a robot file (URDF, MJCF), not a model; 'lacon convert' writes it as one, and a "
        "model reads it with 'import'\n";
    folder.write("arm.urdf", "<?xml version=\"1.0\"?>\n<robot name=\"arm\"/>\n");
    folder.write("arm.xml", "<mujoco/>\n");
    folder.write("arm.lac", "  <robot name=\"arm\"/>\n");
    folder.write("r.csv", "t,x\n0,1\n");
    for (const std::string file : {"arm.urdf", "arm.xml", "arm.lac"})
        for (const std::string command : {"check ", "run ", "fmt "}) {
            const Finished done = folder.run(command + file);
            EXPECT_EQ(done.status, 2);
            EXPECT_EQ(done.err, "lacon: cannot read '" + file + "': " + robot);
        }
    EXPECT_EQ(
        folder.run("run r.csv").err,
        "lacon: cannot read 'r.csv': this is a results table, not a model; use 'lacon plot'\n");
    EXPECT_EQ(folder.run("run no.urdf").err,
              "lacon: cannot read 'no.urdf': there is no such file\n");
}

TEST(Usage, ConvertWritesARobotAsAModelThatRuns) {
    const Folder folder;
    folder.write("arm.urdf",
                 "<robot name=\"arm\"><link name=\"base\"/><link name=\"rod\"><inertial><origin "
                 "xyz=\"0 0 -1\"/><mass value=\"2\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/>"
                 "</inertial></link><joint name=\"swing\" type=\"continuous\"><parent "
                 "link=\"base\"/><child link=\"rod\"/></joint><transmission/></robot>\n");
    const Finished done = folder.run("convert arm.urdf as left -o arm.lac");
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, "");
    EXPECT_NE(done.err.find("arm.urdf:1:"), std::string::npos) << done.err;
    EXPECT_EQ(folder.run("fmt --check arm.lac").status, 0);
    const Finished eval = folder.run("eval arm.lac --at left_swing=0.5");
    EXPECT_EQ(eval.status, 0) << eval.err;
    EXPECT_EQ(folder.run("convert arm.urdf left").status, 2);
    EXPECT_EQ(folder.run("convert arm.urdf --fixed --floating").status, 2);
    EXPECT_EQ(folder.run("convert none.urdf").err,
              "lacon: cannot read 'none.urdf': there is no such file\n");
}

}  // namespace
}  // namespace lacon
