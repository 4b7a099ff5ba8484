// Answers the core's requests, one after the other, until its input ends.
#pragma once

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <unistd.h>

#include "clock_reader.h"
#include "code.h"
#include "copies.h"
#include "facts.h"
#include "frame_writer.h"
#include "ignored.h"
#include "load.h"
#include "namesakes.h"
#include "own_binary.h"
#include "report.h"
#include "request.h"
#include "wire.h"

namespace tare {
namespace detail {

class Worker {
public:
    /// Speaks until the input ends, and then ends the process without running the user's code again (PROTOCOL 1.6).
    [[noreturn]] static void main()
    {
        // Never destroyed: the end of the process may come from within a request.
        static Worker *worker = new Worker();
        if (!worker->wire_.open()) {
            // There is nobody to tell but the one who started it.
            std::fputs("tare: the path in TARE_WIRE can't be opened for writing\n", stderr);
            std::fflush(nullptr);
            _exit(1);
        }
        running_ = worker;
        worker->process_ = getpid();
        std::atexit(at_exit);
        worker->hello();
        worker->serve();
        // What the user printed is shown, even though nothing of the user's runs any more.
        std::fflush(nullptr);
        _exit(0);
    }

private:
    static constexpr std::int64_t most_samples = 100000;
    inline static Worker *running_ = nullptr;

    Wire wire_;
    Sampler sampler_;
    ClockReader reader_;
    Load load_;
    Copies copies_;
    std::vector<Case> cases_;
    bool is_loaded_ = false;
    const Case *prepared_ = nullptr;
    bool is_finished_ = false;
    pid_t process_ = 0;
    std::int64_t request_ = -1;
    const Case *current_ = nullptr;
    std::string doing_ = "the request was handled";

    void hello()
    {
        std::vector<std::string> clocks, kernels, described = facts(), capabilities = {"pause", "bare", "clocks", "operations"};
        if (Copies::are_asked()) {
            capabilities.push_back("copies");
        }
        for (int kind = 0; kind < Clock::kinds; ++kind) {
            if (Clock::exists(kind)) {
                clocks.push_back(Clock::name(kind));
            }
        }
        for (int number = 0; number < Loops::kernel_count; ++number) {
            kernels.push_back(Loops::kernel(number).name);
        }
        for (const std::string &fact : Registry::instance().context) {
            described.push_back(fact);
        }
        wire_.send(FrameWriter("hello")
                       .integer("wire", wire_version())
                       .string("language", "cpp")
                       .string("version", compiler())
                       .string("sdk", version)
                       .string("correction", "overlapping")
                       .list("clocks", clocks)
                       .list("kernels", kernels)
                       .list("capabilities", capabilities)
                       .list("facts", described)
                       .list("reads", ClockReader::clocks())
                       .list("waits", ClockReader::waits())
                       .line());
    }

    void serve()
    {
        std::string line;
        while (!wire_.is_closed()) {
            Fault fault;
            Request request;
            if (!wire_.read(line, fault)) {
                return;
            }
            if (!fault) {
                fault = Request::read(line, request);
            }
            if (!fault) {
                fault.request = request_ = request.id;
                const std::int64_t id = request.id;
                fault = answer(request);
                fault.request = id;
                request_ = -1;
            }
            if (fault) {
                send_fault(fault);
            }
        }
    }

    void send_fault(const Fault &fault)
    {
        FrameWriter frame("fault", fault.request);
        wire_.send(describe(frame, fault).line());
    }

    static FrameWriter &describe(FrameWriter &frame, const Fault &fault)
    {
        frame.string("kind", fault.kind).string("message", fault.message).optional("remedy", fault.remedy).optional("file", fault.file);
        return fault.line > 0 ? frame.integer("line", fault.line) : frame;
    }

    void notice(const char *level, const Fault &fault, const std::string &benchmark = "")
    {
        FrameWriter frame("notice", request_);
        frame.optional("benchmark", benchmark);
        wire_.send(describe(frame.string("level", level), fault).line());
    }

    Fault answer(const Request &request)
    {
        Fault (Worker::*const act)(const Request &) = request.kind == "load" ? &Worker::load
            : request.kind == "prepare"                                      ? &Worker::prepare
            : request.kind == "run"                                          ? &Worker::run
            : request.kind == "read"                                         ? &Worker::read
            : request.kind == "wait"                                         ? &Worker::wait
            : Load::knows(request.kind)                                      ? &Worker::load_operations
            : request.kind == "finish"                                       ? &Worker::finish
                                                                             : nullptr;
        if (act == nullptr) {
            return Fault("unknown-frame", "There is no request " + in_quotes(request.kind) + '.');
        }
        if (is_finished_) {
            return Fault("bad-request", "Only the end of input may follow `finish`.");
        }
        return (this->*act)(request);
    }

    Fault load(const Request &request)
    {
        std::vector<std::string> files;
        std::string bootstrap;
        Fault fault = request.strings("files", files);
        if (!fault && request.has("bootstrap")) {
            fault = request.string("bootstrap", bootstrap);
        }
        if (!fault && is_loaded_) {
            fault = Fault("bad-request", "`load` may come once in a process.");
        }
        if (fault) {
            return fault;
        }
        is_loaded_ = true;
        if (!bootstrap.empty()) {
            notice("info", Fault("ignored", "A bootstrap file has no effect: C++ benchmarks are compiled, with all that they need."));
        }
        for (const std::string &file : files) {
            const Fault strange = not_this_binary(file);
            if (strange) {
                notice("error", strange);
            } else if (cases_.empty()) {
                enumerate(file);
            }
        }
        wire_.send(FrameWriter("loaded", request.id).integer("cases", static_cast<std::int64_t>(cases_.size())).line());
        return Fault();
    }

    void enumerate(const std::string &file)
    {
        std::vector<Case> refused;
        cases_ = Registry::instance().cases(refused);
        for (const auto &told : told_of_namesakes(refused)) {
            notice("error", told.second, told.first);
        }
        if (cases_.empty() && refused.empty() && Operations::instance().all.empty()) {
            Fault fault("load", "The binary holds no benchmark.", "Register one: BENCHMARK(function), or TARE_BENCHMARK(name) { ... }.");
            fault.file = file;
            notice("warning", fault);
        }
        if (!is_optimised) {
            notice("warning", Fault("build", "The benchmarks were compiled without optimisation: their times say little.", "Compile with -O2."));
        }
        if (sanitizers() != "none") {
            notice("warning", Fault("build", "The binary holds a sanitizer (" + sanitizers() + "), which slows what is measured.",
                                  "Build without -fsanitize to measure."));
        }
        for (const char *const what : told_of(Registry::instance().ignored())) {
            notice("warning", Fault("ignored", what));
        }
        for (std::size_t number = 0; number < cases_.size(); ++number) {
            send_case(number, file);
        }
    }

    void send_case(std::size_t number, const std::string &file)
    {
        const Case &of = cases_[number];
        const Settings &settings = of.benchmark->settings();
        FrameWriter frame("case", request_);
        frame.integer("case", static_cast<std::int64_t>(number)).string("benchmark", of.name);
        frame.optional("parameters", of.parameters);
        if (!of.names.empty()) {
            frame.list("names", of.names).list("values", of.values);
        }
        frame.string("file", settings.file.empty() ? file : settings.file);
        if (settings.line > 0) {
            frame.integer("line", settings.line);
        }
        frame.optional_list("groups", settings.groups);
        if (settings.iterations > 0) {
            frame.integer("iterations", settings.iterations);
        }
        const char *const unit = settings.unit != nullptr ? settings.unit : Registry::instance().unit;
        if (unit != nullptr) {
            frame.string("unit", unit);
        }
        if (of.threads > 1) {
            frame.boolean("parallel", true);
        }
        if (settings.is_base) {
            frame.boolean("base", true);
        }
        frame.optional_list("code", code_of(*of.benchmark));
        wire_.send(frame.line());
    }

    Fault prepare(const Request &request)
    {
        std::int64_t number = 0;
        std::string benchmark, parameters, clock = Clock::name(Clock::monotonic);
        Fault fault = request.integer("case", largest_integer, number);
        fault = fault ? fault : request.string("benchmark", benchmark);
        fault = fault ? fault : request.string("parameters", parameters);
        fault = fault || !request.has("clock") ? fault : request.string("clock", clock);
        const int kind = Clock::find(clock.c_str());
        if (!fault && (!is_loaded_ || prepared_ != nullptr)) {
            fault = Fault("bad-request", "`prepare` comes once in a process, after `load`.");
        } else if (!fault && kind < 0) {
            fault = Fault("bad-request", "There is no clock " + in_quotes(clock) + " on this machine.");
        }
        if (fault) {
            return fault;
        }
        if (copies_.serve()) {
            return Fault();
        }
        process_ = getpid();
        const Case *found = static_cast<std::uint64_t>(number) < cases_.size() ? &cases_[static_cast<std::size_t>(number)] : nullptr;
        if (found == nullptr || found->name != benchmark || found->parameters != parameters) {
            return Fault("provider",
                "Case " + std::to_string(number)
                    + (found == nullptr ? " doesn't exist; there are " + std::to_string(cases_.size())
                                        : " is " + in_quotes(found->full_name))
                    + " in this process, not " + in_quotes(benchmark) + ' ' + in_quotes(parameters) + '.',
                "Register the same benchmarks in every process: nothing random, nothing of the time, no directory listings.");
        }
        sampler_.clock().choose(kind);
        enter(found, found->full_name + " was prepared");
        fault = sampler_.prepare(*found);
        current_ = nullptr;
        if (fault) {
            return placed(fault, *found);
        }
        prepared_ = found;
        FrameWriter frame("ready", request.id);
        frame.boolean("pauses", sampler_.does_pause());
        if (copies_.is_copy()) {
            frame.boolean("copied", true);
        }
        wire_.send(frame.line());
        return Fault();
    }

    Fault run(const Request &request)
    {
        std::string name;
        std::vector<std::int64_t> iterations;
        std::int64_t warm = 0;
        Fault fault = request.string("subject", name);
        fault = fault ? fault : request.integers("iterations", static_cast<std::size_t>(most_samples), iterations);
        fault = fault ? fault : request.integer("warm", most_samples, warm);
        if (!fault && name == "case" && prepared_ == nullptr) {
            fault = Fault("bad-request", "`run` of the case comes after `prepare`.");
        }
        if (fault) {
            return fault;
        }
        enter(prepared_, name == "case" ? "it ran" : "the " + in_quotes(name) + " beside it ran");
        const Style style = sampler_.style();
        if (name == "clock") {
            sampler_.run_clock(prepared_, iterations.size(), warm);
        } else if (name == "case") {
            fault = sampler_.run(Subject{prepared_, nullptr}, iterations, warm);
        } else if (name == "null" || name == "pause") {
            fault = sampler_.run(Subject{prepared_, name == "null" ? Loops::null(style) : Loops::pause(style)}, iterations, warm);
        } else if (const Loop kernel = name.compare(0, 7, "kernel/") == 0 ? Loops::find_kernel(name.c_str() + 7) : nullptr) {
            fault = sampler_.run(Subject{nullptr, kernel}, iterations, warm);
        } else {
            fault = Fault("bad-request", "There is no subject " + in_quotes(name) + '.');
        }
        current_ = nullptr;
        if (fault) {
            return fault.kind == "exception" && prepared_ != nullptr ? placed(fault, *prepared_) : fault;
        }
        FrameWriter frame("samples", request.id);
        frame.list("elapsed", sampler_.elapsed);
        // A case may pause in later calls only: its pairs are told even where the first call made none.
        if (name == "pause" || (name == "case" && (sampler_.does_pause() || sampler_.has_paused()))) {
            frame.list("pauses", sampler_.pauses);
        }
        if (sampler_.stretch.is_known()) {
            const Stretch &stretch = sampler_.stretch;
            frame.integer("wall", stretch.wall).integer("cpu", stretch.cpu).integer("yields", stretch.yields);
        }
        wire_.send(frame.line());
        return Fault();
    }

    Fault read(const Request &request) { return reader_.answer_read(request, wire_); }
    Fault wait(const Request &request) { return reader_.answer_wait(request, wire_); }

    Fault load_operations(const Request &request)
    {
        doing_ = "operations ran";
        return load_.answer(request, is_loaded_, wire_);
    }

    Fault finish(const Request &request)
    {
        is_finished_ = true;
        const Fault fault = load_.finish();
        if (fault) {
            return fault;
        }
        FrameWriter frame("finished", request.id);
        if (prepared_ != nullptr) {
            const Report report(*prepared_, sampler_);
            if (report.bytes >= 0) {
                frame.integer("bytes", report.bytes);
            }
            if (report.items >= 0) {
                frame.integer("items", report.items);
            }
            if (!report.metrics.empty()) {
                frame.list("metrics", report.metrics);
            }
            if (!report.labels.empty()) {
                frame.list("labels", report.labels);
            }
        }
        wire_.send(frame.line());
        copies_.finished();
        return Fault();
    }

    void enter(const Case *of, const std::string &doing)
    {
        current_ = of;
        doing_ = doing;
    }

    static Fault placed(Fault fault, const Case &of)
    {
        fault.file = of.benchmark->settings().file;
        fault.line = of.benchmark->settings().line;
        return fault;
    }

    /// User code called exit. It runs after what user code has registered itself since.
    static void at_exit()
    {
        Worker *worker = running_;
        // A forked child of the user's isn't the worker.
        if (worker == nullptr || worker->request_ < 0 || getpid() != worker->process_) {
            return;
        }
        Fault fault("exit", "User code ended the process while " + worker->doing_ + '.', "Remove the call of exit from what is measured.");
        if (worker->current_ != nullptr) {
            fault = placed(fault, *worker->current_);
        }
        fault.request = worker->request_;
        worker->send_fault(fault);
    }
};

} // namespace detail
} // namespace tare
