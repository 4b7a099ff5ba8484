//! Parquet: a row for each sample as the worker's clock gave it, nothing taken off; a row group for each launch.

use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};
use tare_samples::Turn;

use super::{Exported, ExportedVariant, Written, is_untold};
use crate::fault::Fault;

/// Texts, which repeat and are kept as a dictionary.
const TEXTS: [&str; 9] =
    ["run", "started", "variant", "benchmark", "parameters", "language", "runtime", "version", "subject"];

pub(super) fn write(exported: &Exported<'_>) -> Result<Written, Fault> {
    let bytes = file(exported).map_err(|error| Fault::of_file(format!("Parquet can't be written: {error}")))?;
    let without: Vec<&str> = exported
        .variants
        .iter()
        .filter(|variant| variant.launches.iter().all(|launch| launch.turns.is_empty()))
        .map(|variant| variant.view.variant.case.benchmark.as_str())
        .collect();
    let notices = match without.len() {
        0 => Vec::new(),
        count => vec![format!("{count} cases have no samples, and no rows")],
    };
    Ok(Written { bytes, notices })
}

fn file(exported: &Exported<'_>) -> Result<Vec<u8>, ParquetError> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::UNCOMPRESSED)
        .set_created_by(format!("tare {}", env!("CARGO_PKG_VERSION")));
    let mut writer = SerializedFileWriter::new(Vec::new(), schema()?, Arc::new(properties.build()))?;
    for variant in &exported.variants {
        for launch in &variant.launches {
            let mut group = writer.next_row_group()?;
            rows(&mut group, exported, variant, launch.ordinal, &launch.turns)?;
            group.close()?;
        }
    }
    writer.into_inner()
}

fn schema() -> Result<TypePtr, ParquetError> {
    let mut fields: Vec<TypePtr> = Vec::new();
    for name in TEXTS {
        let repetition = if name == "parameters" { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        let text =
            Type::primitive_type_builder(name, Physical::BYTE_ARRAY).with_logical_type(Some(LogicalType::String));
        fields.push(Arc::new(text.with_repetition(repetition).build()?));
    }
    for (name, physical, repetition) in [
        ("launch", Physical::INT32, Repetition::REQUIRED),
        ("round", Physical::INT32, Repetition::REQUIRED),
        ("sample", Physical::INT64, Repetition::REQUIRED),
        ("calls", Physical::INT64, Repetition::OPTIONAL),
        ("elapsed_ns", Physical::INT64, Repetition::OPTIONAL),
        ("time_ns", Physical::DOUBLE, Repetition::REQUIRED),
    ] {
        fields.push(Arc::new(Type::primitive_type_builder(name, physical).with_repetition(repetition).build()?));
    }
    Ok(Arc::new(Type::group_type_builder("tare").with_fields(fields).build()?))
}

fn rows(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    exported: &Exported<'_>,
    variant: &ExportedVariant<'_>,
    launch: u32,
    turns: &[Turn],
) -> Result<(), ParquetError> {
    let own = &variant.view.variant;
    let count: usize = turns.iter().map(|turn| turn.elapsed.len()).sum();
    let untold = variant.view.calibration.as_ref().is_some_and(|calibration| is_untold(&calibration.reported.labels));
    let texts = [
        Some(exported.view.origin.id.as_str()),
        Some(&exported.view.origin.started),
        Some(&own.id),
        Some(&own.case.benchmark),
        own.case.parameters.name.as_deref(),
        Some(&own.case.language),
        Some(&own.runtime.name),
        Some(&own.runtime.version),
    ];
    for (name, text) in TEXTS.iter().zip(texts) {
        let values = text.map_or_else(Vec::new, |text| vec![ByteArray::from(text.as_bytes().to_vec()); count]);
        let levels = (*name == "parameters").then(|| vec![i16::from(text.is_some()); count]);
        column::<ByteArrayType>(group, &values, levels.as_deref())?;
    }
    let of_turn = |turn: &Turn| {
        let subject = ByteArray::from(turn.subject.to_string().into_bytes());
        std::iter::repeat_n(subject, turn.elapsed.len())
    };
    column::<ByteArrayType>(group, &turns.iter().flat_map(of_turn).collect::<Vec<_>>(), None)?;
    column::<Int32Type>(group, &vec![launch as i32; count], None)?;
    let rounds = turns.iter().flat_map(|turn| std::iter::repeat_n(turn.round as i32, turn.elapsed.len()));
    column::<Int32Type>(group, &rounds.collect::<Vec<_>>(), None)?;
    column::<Int64Type>(group, &(0..count as i64).collect::<Vec<_>>(), None)?;
    let calls: Vec<i64> = turns.iter().flat_map(|turn| &turn.iterations).map(|calls| *calls as i64).collect();
    let elapsed: Vec<i64> = turns.iter().flat_map(|turn| &turn.elapsed).map(|elapsed| *elapsed as i64).collect();
    let times: Vec<f64> =
        calls.iter().zip(&elapsed).map(|(calls, elapsed)| *elapsed as f64 / (*calls).max(1) as f64).collect();
    let levels = vec![i16::from(!untold); count];
    for values in [calls, elapsed] {
        column::<Int64Type>(group, if untold { &[] } else { &values }, Some(&levels))?;
    }
    column::<parquet::data_type::DoubleType>(group, &times, None)
}

fn column<T: parquet::data_type::DataType>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("a column more than the schema has".to_owned()));
    };
    column.typed::<T>().write_batch(values, levels, None)?;
    column.close()
}
