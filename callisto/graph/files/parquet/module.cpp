// The module libcallisto_parquet.so: Parquet files as CSV, by Apache Arrow.
#include <callisto/graph/files/parquet/module.hpp>

#include <arrow/api.h>
#include <arrow/csv/writer.h>
#include <arrow/io/api.h>
#include <arrow/ipc/writer.h>
#include <parquet/arrow/reader.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

/// A stream that hands text on.
class appender final : public arrow::io::OutputStream {
 public:
  appender(void* to, callisto_append append) : to_(to), append_(append) {}

  arrow::Status Write(const void* data, std::int64_t size) override {
    append_(to_, static_cast<const char*>(data), static_cast<std::size_t>(size));
    written_ += size;
    return arrow::Status::OK();
  }
  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }
  arrow::Result<std::int64_t> Tell() const override { return written_; }

 private:
  void* to_;
  callisto_append append_;
  std::int64_t written_ = 0;
  bool closed_ = false;
};

/// True for texts that a column names by number, as pandas' categories.
bool is_category(const arrow::DataType& type) {
  return type.id() == arrow::Type::DICTIONARY &&
         static_cast<const arrow::DictionaryType&>(type).value_type()->id() == arrow::Type::STRING;
}

/// Returns the texts that a column of categories stands for.
arrow::Result<std::shared_ptr<arrow::ChunkedArray>> texts_of(const arrow::ChunkedArray& categories) {
  arrow::ArrayVector chunks;
  for (const auto& chunk : categories.chunks()) {
    const auto& numbers = static_cast<const arrow::DictionaryArray&>(*chunk);
    const auto& texts = static_cast<const arrow::StringArray&>(*numbers.dictionary());
    arrow::StringBuilder builder;
    for (std::int64_t i = 0; i < numbers.length(); ++i) {
      ARROW_RETURN_NOT_OK(numbers.IsNull(i) ? builder.AppendNull()
                                            : builder.Append(texts.GetView(numbers.GetValueIndex(i))));
    }
    ARROW_ASSIGN_OR_RAISE(auto made, builder.Finish());
    chunks.push_back(std::move(made));
  }
  return arrow::ChunkedArray::Make(std::move(chunks), arrow::utf8());
}

/// True for a column that is cells of a table.
bool is_flat(const arrow::DataType& type) {
  if (is_category(type)) return true;
  return arrow::is_primitive(type.id()) || arrow::is_base_binary_like(type.id()) || arrow::is_decimal(type.id());
}

arrow::Status read_as_csv(const char* path, arrow::io::OutputStream& to) {
  ARROW_ASSIGN_OR_RAISE(const auto file, arrow::io::ReadableFile::Open(path));
  parquet::arrow::FileReaderBuilder builder;
  ARROW_RETURN_NOT_OK(builder.Open(file));
  std::unique_ptr<parquet::arrow::FileReader> reader;
  ARROW_RETURN_NOT_OK(builder.Build(&reader));
  std::shared_ptr<arrow::Schema> schema;
  ARROW_RETURN_NOT_OK(reader->GetSchema(&schema));
  std::vector<int> flat;
  arrow::FieldVector fields;
  for (int i = 0; i < schema->num_fields(); ++i) {
    if (!is_flat(*schema->field(i)->type())) continue;
    flat.push_back(i);
    const auto& field = schema->field(i);
    fields.push_back(is_category(*field->type()) ? field->WithType(arrow::utf8()) : field);
  }
  if (flat.size() < 2) return arrow::Status::Invalid("expected two or more columns of numbers or texts");
  ARROW_ASSIGN_OR_RAISE(const auto writer, arrow::csv::MakeCSVWriter(&to, arrow::schema(fields)));
  for (int group = 0; group < reader->num_row_groups(); ++group) {
    std::shared_ptr<arrow::Table> table;
    ARROW_RETURN_NOT_OK(reader->ReadRowGroup(group, &table));
    ARROW_ASSIGN_OR_RAISE(table, table->SelectColumns(flat));
    for (int i = 0; i < table->num_columns(); ++i) {
      if (!is_category(*table->field(i)->type())) continue;
      ARROW_ASSIGN_OR_RAISE(const auto texts, texts_of(*table->column(i)));
      ARROW_ASSIGN_OR_RAISE(table, table->SetColumn(i, fields[static_cast<std::size_t>(i)], texts));
    }
    ARROW_RETURN_NOT_OK(writer->WriteTable(*table));
  }
  return writer->Close();
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int callisto_read_parquet(const char* path, void* to,
                                                                            callisto_append append, char* message,
                                                                            std::size_t room) {
  std::string what;
  try {
    appender stream(to, append);
    const arrow::Status status = read_as_csv(path, stream);
    if (status.ok()) return 0;
    what = status.message();
  } catch (const std::exception& e) {
    what = e.what();
  }
  std::snprintf(message, room, "is a Parquet file that cannot be read: %s", what.c_str());
  return 1;
}
