use crate::WIRE_VERSION;
use crate::clocks::{Read, Readings, Wait, Waited};
use crate::error::FrameError;
use crate::limits::{MAX_INTEGER, MAX_SAMPLES};
use crate::object::Object;
use crate::operations::{Connect, OperationFrame, Slice, Work, Worked};
use crate::reply::{CaseFrame, Fault, FinishedFrame, Hello, Level, Notice, Reply, Samples, Stretch};
use crate::request::{Request, Run};
use crate::writer::ObjectWriter;

const LEVELS: &[(&str, Level)] = &[("info", Level::Info), ("warning", Level::Warning), ("error", Level::Error)];
const CORRECTIONS: &[(&str, bool)] = &[("serial", false), ("overlapping", true)];
const UNITS: &[(&str, ())] = &[("nanoseconds", ()), ("microseconds", ()), ("milliseconds", ()), ("seconds", ())];

impl Request {
    /// One line without its line feed. Integers above [`MAX_INTEGER`], and lines above [`MAX_FRAME_BYTES`](crate::MAX_FRAME_BYTES), are the
    /// caller's to avoid.
    pub fn encode(&self) -> String {
        match self {
            Self::Load { id, files, bootstrap } => ObjectWriter::new("load")
                .integer("id", *id)
                .strings("files", files)
                .optional_string("bootstrap", bootstrap.as_ref())
                .end(),
            Self::Prepare { id, case, benchmark, parameters, clock, copy } => {
                let writer = ObjectWriter::new("prepare").integer("id", *id).integer("case", *case);
                let writer = writer.string("benchmark", benchmark).string("parameters", parameters);
                let writer = writer.optional_string("clock", clock.as_ref());
                if *copy { writer.boolean("copy", true) } else { writer }.end()
            }
            Self::Arrange { id } => ObjectWriter::new("arrange").integer("id", *id).end(),
            Self::Run(run) => {
                let writer = ObjectWriter::new("run").integer("id", run.id).string("subject", &run.subject);
                let writer = writer.integers("iterations", &run.iterations).integer("warm", run.warm);
                let writer = if run.settle { writer.boolean("settle", true) } else { writer };
                if run.hooks { writer } else { writer.boolean("hooks", false) }.end()
            }
            Self::Read(read) => read.encode(),
            Self::Wait(wait) => wait.encode(),
            Self::Operations { id } => ObjectWriter::new("operations").integer("id", *id).end(),
            Self::Connect(connect) => connect.encode(),
            Self::Stamp { id } => ObjectWriter::new("stamp").integer("id", *id).end(),
            Self::Work(work) => work.encode(),
            Self::Finish { id } => ObjectWriter::new("finish").integer("id", *id).end(),
        }
    }

    /// Reads one line without its line feed, strictly (PROTOCOL 1.2 to 1.4, §3).
    ///
    /// # Errors
    /// A [`FrameError`] with what a worker's `fault` needs: kind, message and, where it could be read, the `id`.
    /// `subject` and `clock` are not looked up here: what a worker has, only it knows.
    pub fn decode(line: &[u8]) -> Result<Self, FrameError> {
        let object = Object::parse(line)?;
        let id = object.id()?;
        match object.frame() {
            "load" => {
                let files = object.strings("files")?;
                if files.is_empty() {
                    return Err(object.bad("`files` is empty; it must name at least one"));
                }
                Ok(Self::Load { id, files, bootstrap: object.optional_string("bootstrap")? })
            }
            "prepare" => Ok(Self::Prepare {
                id,
                case: object.integer("case", MAX_INTEGER)?,
                benchmark: object.string("benchmark")?,
                parameters: object.string("parameters")?,
                clock: object.optional_string("clock")?,
                copy: object.optional_boolean("copy")?.unwrap_or(false),
            }),
            "run" => {
                let subject = object.string("subject")?;
                let iterations = object.integers("iterations")?;
                object.counted("iterations", iterations.len(), MAX_SAMPLES)?;
                let warm = object.integer("warm", MAX_SAMPLES as u64)?;
                let settle = object.optional_boolean("settle")?.unwrap_or(false);
                let hooks = object.optional_boolean("hooks")?.unwrap_or(true);
                Ok(Self::Run(Run { id, subject, iterations, warm, settle, hooks }))
            }
            "arrange" => Ok(Self::Arrange { id }),
            "read" => Read::decode(&object).map(Self::Read),
            "wait" => Wait::decode(&object).map(Self::Wait),
            "operations" => Ok(Self::Operations { id }),
            "connect" => Connect::decode(&object).map(Self::Connect),
            "stamp" => Ok(Self::Stamp { id }),
            "work" => Work::decode(&object).map(Self::Work),
            "finish" => Ok(Self::Finish { id }),
            _ => Err(object.unknown()),
        }
    }
}

impl Reply {
    /// One line without its line feed. Integers above [`MAX_INTEGER`], lines above [`MAX_FRAME_BYTES`](crate::MAX_FRAME_BYTES), and an equals
    /// sign in a fact's name are the caller's to avoid.
    pub fn encode(&self) -> String {
        match self {
            Self::Hello(hello) => encode_hello(hello),
            Self::Case(case) => encode_case(case),
            Self::Notice(notice) => encode_notice(notice),
            Self::Loaded { id, cases, prelude } => {
                let writer = ObjectWriter::new("loaded").integer("id", *id).integer("cases", *cases);
                if *prelude { writer.boolean("prelude", true) } else { writer }.end()
            }
            Self::Ready { id, pauses, hooks, copied } => {
                let writer = ObjectWriter::new("ready").integer("id", *id).boolean("pauses", *pauses);
                let writer = match hooks {
                    Some(hooks) => writer.boolean("hooks", *hooks),
                    None => writer,
                };
                if *copied { writer.boolean("copied", true) } else { writer }.end()
            }
            Self::Samples(samples) => {
                let writer = ObjectWriter::new("samples").integer("id", samples.id);
                let mut writer = writer.integers("elapsed", &samples.elapsed);
                let columns = [
                    ("pauses", &samples.pauses),
                    ("allocations", &samples.allocations),
                    ("allocated_bytes", &samples.allocated_bytes),
                ];
                for (key, column) in columns.into_iter().filter(|(_, column)| !column.is_empty()) {
                    writer = writer.integers(key, column);
                }
                if let Some(Stretch { wall, cpu, yields }) = samples.stretch {
                    writer = writer.integer("wall", wall).integer("cpu", cpu).integer("yields", yields);
                }
                if let Some(ppm) = samples.collector_ppm {
                    writer = writer.integer("collector_ppm", ppm);
                }
                writer.end()
            }
            Self::Readings(readings) => readings.encode(),
            Self::Waited(waited) => waited.encode(),
            Self::Operation(operation) => operation.encode(),
            Self::Listed { id, operations } => {
                ObjectWriter::new("listed").integer("id", *id).integer("operations", *operations).end()
            }
            Self::Arranged { id } => ObjectWriter::new("arranged").integer("id", *id).end(),
            Self::Connected { id } => ObjectWriter::new("connected").integer("id", *id).end(),
            Self::Stamped { id, at } => ObjectWriter::new("stamped").integer("id", *id).integer("at", *at).end(),
            Self::Slice(slice) => slice.encode(),
            Self::Worked(worked) => worked.encode(),
            Self::Finished(finished) => {
                let metrics: Vec<String> =
                    finished.metrics.iter().map(|(name, value)| format!("{name}={value}")).collect();
                ObjectWriter::new("finished")
                    .integer("id", finished.id)
                    .optional_integer("runtime_peak_bytes", finished.runtime_peak_bytes)
                    .optional_integer("bytes", finished.bytes)
                    .optional_integer("items", finished.items)
                    .optional_strings("metrics", &metrics)
                    .optional_strings("labels", &finished.labels)
                    .flag("allocations_asked", finished.allocations_asked)
                    .end()
            }
            Self::Fault(fault) => ObjectWriter::new("fault")
                .id_or_none(fault.id)
                .string("kind", &fault.kind)
                .string("message", &fault.message)
                .optional_string("file", fault.file.as_ref())
                .optional_integer("line", fault.line)
                .optional_string("remedy", fault.remedy.as_ref())
                .optional_string("trace", fault.trace.as_ref())
                .end(),
        }
    }

    /// Reads one line without its line feed, strictly (PROTOCOL 1.2 to 1.4, §4).
    ///
    /// # Errors
    /// A [`FrameError`] that names the frame and the key. A `hello` of another `wire` version is given back as it is
    /// where it can be read by this version's rules; where it can't, the error names both versions.
    pub fn decode(line: &[u8]) -> Result<Self, FrameError> {
        let object = Object::parse(line)?;
        match object.frame() {
            "hello" => decode_hello(&object).map(Self::Hello),
            "case" => decode_case(&object).map(Self::Case),
            "notice" => Ok(Self::Notice(Notice {
                id: object.id()?,
                level: object.one_of("level", LEVELS)?,
                kind: object.string("kind")?,
                message: object.string("message")?,
                file: object.optional_string("file")?,
                line: object.optional_integer("line", MAX_INTEGER)?,
                remedy: object.optional_string("remedy")?,
                benchmark: object.optional_string("benchmark")?,
            })),
            "loaded" => {
                let (cases, prelude) = (object.integer("cases", MAX_INTEGER)?, object.optional_boolean("prelude")?);
                Ok(Self::Loaded { id: object.id()?, cases, prelude: prelude.unwrap_or(false) })
            }
            "ready" => {
                let (pauses, hooks) = (object.boolean("pauses")?, object.optional_boolean("hooks")?);
                let copied = object.optional_boolean("copied")?.unwrap_or(false);
                Ok(Self::Ready { id: object.id()?, pauses, hooks, copied })
            }
            "samples" => decode_samples(&object).map(Self::Samples),
            "readings" => Readings::decode(&object).map(Self::Readings),
            "waited" => Waited::decode(&object).map(Self::Waited),
            "operation" => OperationFrame::decode(&object).map(Self::Operation),
            "listed" => Ok(Self::Listed { id: object.id()?, operations: object.integer("operations", MAX_INTEGER)? }),
            "arranged" => Ok(Self::Arranged { id: object.id()? }),
            "connected" => Ok(Self::Connected { id: object.id()? }),
            "stamped" => Ok(Self::Stamped { id: object.id()?, at: object.integer("at", MAX_INTEGER)? }),
            "slice" => Slice::decode(&object).map(Self::Slice),
            "worked" => Worked::decode(&object).map(Self::Worked),
            "finished" => decode_finished(&object).map(Self::Finished),
            "fault" => Ok(Self::Fault(Fault {
                id: object.id_or_none()?,
                kind: object.string("kind")?,
                message: object.string("message")?,
                file: object.optional_string("file")?,
                line: object.optional_integer("line", MAX_INTEGER)?,
                remedy: object.optional_string("remedy")?,
                trace: object.optional_string("trace")?,
            })),
            _ => Err(object.unknown()),
        }
    }
}

fn encode_hello(hello: &Hello) -> String {
    let facts: Vec<String> = hello.facts.iter().map(|(name, value)| format!("{name}={value}")).collect();
    ObjectWriter::new("hello")
        .integer("wire", hello.wire)
        .string("language", &hello.language)
        .string("version", &hello.version)
        .string("sdk", &hello.sdk)
        .string("correction", if hello.overlapping { "overlapping" } else { "serial" })
        .strings("clocks", &hello.clocks)
        .strings("kernels", &hello.kernels)
        .strings("capabilities", &hello.capabilities)
        .strings("facts", &facts)
        .optional_strings("reads", &hello.reads)
        .optional_strings("waits", &hello.waits)
        .end()
}

fn encode_case(case: &CaseFrame) -> String {
    ObjectWriter::new("case")
        .integer("id", case.id)
        .integer("case", case.case)
        .string("benchmark", &case.benchmark)
        .optional_string("parameters", case.parameters.as_ref())
        .optional_strings("names", &case.names)
        .optional_strings("values", &case.values)
        .optional_string("file", case.file.as_ref())
        .optional_integer("line", case.line)
        .optional_strings("groups", &case.groups)
        .optional_integer("iterations", case.iterations)
        .optional_integer("samples", case.samples)
        .optional_integer("timeout_ms", case.timeout_ms)
        .optional_string("unit", case.unit.as_ref())
        .optional_string("skip", case.skip.as_ref())
        .flag("base", case.base)
        .flag("parallel", case.parallel)
        .optional_strings("assertions", &case.assertions)
        .optional_integers("code", &case.code)
        .end()
}

fn encode_notice(notice: &Notice) -> String {
    let level = match notice.level {
        Level::Info => "info",
        Level::Warning => "warning",
        Level::Error => "error",
    };
    ObjectWriter::new("notice")
        .integer("id", notice.id)
        .string("level", level)
        .string("kind", &notice.kind)
        .string("message", &notice.message)
        .optional_string("file", notice.file.as_ref())
        .optional_integer("line", notice.line)
        .optional_string("remedy", notice.remedy.as_ref())
        .optional_string("benchmark", notice.benchmark.as_ref())
        .end()
}

fn decode_hello(object: &Object<'_>) -> Result<Hello, FrameError> {
    let wire = object.integer("wire", MAX_INTEGER)?;
    decode_hello_of(object, wire).map_err(|error| match wire {
        WIRE_VERSION => error,
        // Another version may have other keys: what the reader must learn is the version.
        other => object.bad(format_args!("the worker speaks wire version {other}, this reader {WIRE_VERSION}")),
    })
}

fn decode_hello_of(object: &Object<'_>, wire: u64) -> Result<Hello, FrameError> {
    let clocks = object.strings("clocks")?;
    if clocks.is_empty() {
        return Err(object.bad("`clocks` is empty; it must name at least one"));
    }
    let facts = object.strings("facts")?.into_iter().map(|fact| match fact.split_once('=') {
        Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
        None => Err(object.bad(format_args!("`facts` must be `name=value`; one is `{}`", fact.escape_debug()))),
    });
    Ok(Hello {
        wire,
        language: object.string("language")?,
        version: object.string("version")?,
        sdk: object.string("sdk")?,
        overlapping: object.one_of("correction", CORRECTIONS)?,
        clocks,
        reads: object.optional_strings("reads")?.unwrap_or_default(),
        waits: object.optional_strings("waits")?.unwrap_or_default(),
        kernels: object.strings("kernels")?,
        capabilities: object.strings("capabilities")?,
        facts: facts.collect::<Result<_, _>>()?,
    })
}

fn decode_case(object: &Object<'_>) -> Result<CaseFrame, FrameError> {
    let names = object.optional_strings("names")?.unwrap_or_default();
    let values = object.optional_strings("values")?.unwrap_or_default();
    if names.len() != values.len() {
        let (names, values) = (names.len(), values.len());
        return Err(object.bad(format_args!("`names` has {names} entries and `values` {values}; they go in pairs")));
    }
    let unit = object.optional_string("unit")?;
    if unit.is_some() {
        object.one_of("unit", UNITS)?;
    }
    Ok(CaseFrame {
        id: object.id()?,
        case: object.integer("case", MAX_INTEGER)?,
        benchmark: object.string("benchmark")?,
        parameters: object.optional_string("parameters")?,
        names,
        values,
        file: object.optional_string("file")?,
        line: object.optional_integer("line", MAX_INTEGER)?,
        groups: object.optional_strings("groups")?.unwrap_or_default(),
        iterations: object.optional_integer("iterations", MAX_INTEGER)?,
        samples: object.optional_integer("samples", MAX_INTEGER)?,
        timeout_ms: object.optional_integer("timeout_ms", MAX_INTEGER)?,
        unit,
        skip: object.optional_string("skip")?,
        base: object.optional_boolean("base")?.unwrap_or(false),
        parallel: object.optional_boolean("parallel")?.unwrap_or(false),
        assertions: object.optional_strings("assertions")?.unwrap_or_default(),
        code: object.optional_integers("code")?.unwrap_or_default(),
    })
}

fn decode_samples(object: &Object<'_>) -> Result<Samples, FrameError> {
    let id = object.id()?;
    let elapsed = object.integers("elapsed")?;
    object.counted("elapsed", elapsed.len(), MAX_SAMPLES)?;
    let column = |key: &str| match object.optional_integers(key)? {
        Some(column) if column.len() != elapsed.len() => {
            let (entries, elapsed) = (column.len(), elapsed.len());
            Err(object.bad(format_args!("`{key}` has {entries} entries and `elapsed` {elapsed}")))
        }
        column => Ok(column.unwrap_or_default()),
    };
    let (pauses, allocations, allocated_bytes) =
        (column("pauses")?, column("allocations")?, column("allocated_bytes")?);
    if allocations.len() != allocated_bytes.len() {
        return Err(object.bad(format_args!("`allocations` and `allocated_bytes` come together")));
    }
    let figure = |key: &str| object.optional_integer(key, MAX_INTEGER);
    let stretch = match (figure("wall")?, figure("cpu")?, figure("yields")?) {
        (Some(wall), Some(cpu), Some(yields)) => Some(Stretch { wall, cpu, yields }),
        (None, None, None) => None,
        _ => return Err(object.bad(format_args!("`wall`, `cpu` and `yields` come together"))),
    };
    let collector_ppm = figure("collector_ppm")?;
    Ok(Samples { id, elapsed, pauses, allocations, allocated_bytes, stretch, collector_ppm })
}

fn decode_finished(object: &Object<'_>) -> Result<FinishedFrame, FrameError> {
    let metric = |text: &String| match text.rsplit_once('=') {
        Some((name, value)) if !name.is_empty() && is_number(value) => Ok((name.to_owned(), value.to_owned())),
        _ => Err(object.bad(format_args!("the metric {text:?} is not `name=number`"))),
    };
    let metrics = object.optional_strings("metrics")?.unwrap_or_default();
    Ok(FinishedFrame {
        id: object.id()?,
        runtime_peak_bytes: object.optional_integer("runtime_peak_bytes", MAX_INTEGER)?,
        bytes: object.optional_integer("bytes", MAX_INTEGER)?,
        items: object.optional_integer("items", MAX_INTEGER)?,
        metrics: metrics.iter().map(metric).collect::<Result<_, _>>()?,
        labels: object.optional_strings("labels")?.unwrap_or_default(),
        allocations_asked: object.optional_boolean("allocations_asked")?.unwrap_or(false),
    })
}

/// A number as JSON writes one, that isn't too large for a double.
fn is_number(text: &str) -> bool {
    serde_json::from_str::<f64>(text).is_ok_and(f64::is_finite) && text.trim() == text
}
