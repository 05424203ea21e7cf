package io.seckill.load.bench;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/** A result as an aligned table for a terminal, and as one of Markdown. */
final class Table {

    private static final double SMALL = 0.01; // of all the CPU time: parts below are left out

    /** A column: its head, and the cell of a row. */
    private record Column(String head, boolean isNumber, Function<Row, String> cell) {}

    private static final List<Column> COLUMNS = List.of(
            new Column("what", false, Row::what),
            new Column("figure", true, row -> number(row.figure()) + " " + row.unit()),
            new Column("ratio to its floor", false, Table::ratios),
            new Column("CPU µs", true, row -> number(row.cpuPerAttemptUs())),
            new Column("by part", false, Table::byPart),
            new Column("client µs", true, row -> number(row.cpuPerAttemptUs(Row.CLIENT))),
            new Column("remark", false, Table::remark));

    private Table() {}

    /** Aligned; a column that is empty in every row is left out. */
    static String text(Result result) {
        List<Column> columns = columns(result);
        List<List<String>> lines = new ArrayList<>();
        lines.add(columns.stream().map(Column::head).toList());
        result.rows().forEach(row -> lines.add(cells(columns, row)));
        List<Integer> widths = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            int column = i;
            widths.add(lines.stream()
                    .mapToInt(line -> line.get(column).length())
                    .max()
                    .orElse(0));
        }
        return lines.stream()
                .map(line -> aligned(columns, line, widths))
                .collect(Collectors.joining("\n", "", "\n"));
    }

    private static String aligned(List<Column> columns, List<String> cells, List<Integer> widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < cells.size(); i++) {
            String blanks = " ".repeat(widths.get(i) - cells.get(i).length());
            boolean right = columns.get(i).isNumber();
            line.append(right ? blanks + cells.get(i) : cells.get(i) + blanks).append("  ");
        }
        return line.toString().stripTrailing();
    }

    static String markdown(Result result) {
        List<Column> columns = columns(result);
        StringBuilder text = new StringBuilder();
        text.append(line(columns.stream().map(Column::head).toList()));
        text.append(line(columns.stream()
                .map(column -> column.isNumber() ? "---:" : "---")
                .toList()));
        result.rows()
                .forEach(row -> text.append(line(cells(columns, row).stream()
                        .map(cell -> cell.replace("|", "\\|"))
                        .toList())));
        return text.toString();
    }

    private static String line(List<String> cells) {
        return "| " + String.join(" | ", cells) + " |\n";
    }

    private static List<Column> columns(Result result) {
        return COLUMNS.stream()
                .filter(column -> result.rows().stream()
                        .anyMatch(row -> !column.cell().apply(row).isEmpty()))
                .toList();
    }

    private static List<String> cells(List<Column> columns, Row row) {
        return columns.stream().map(column -> column.cell().apply(row)).toList();
    }

    private static String ratios(Row row) {
        return row.floors().stream()
                .map(floor -> number(row.ratio(floor)) + " of " + floor.what() + " ("
                        + number(floor.figure()) + " " + row.unit() + ")")
                .collect(Collectors.joining(", "));
    }

    /** The most expensive first. */
    private static String byPart(Row row) {
        double all = row.cpuPerAttemptUs();
        return row.cpuUs().keySet().stream()
                .filter(part -> !part.equals(Row.CLIENT))
                .filter(part -> row.cpuPerAttemptUs(part) > SMALL * all)
                .sorted(Comparator.comparingDouble(part -> -row.cpuPerAttemptUs(part)))
                .map(part -> part + " " + number(row.cpuPerAttemptUs(part)))
                .collect(Collectors.joining(", "));
    }

    private static String remark(Row row) {
        return row.isRight()
                ? row.remark()
                : "WRONG: " + row.wrong() + (row.remark().isEmpty() ? "" : "; " + row.remark());
    }

    /** Three digits that mean something; empty when it is not a number. */
    static String number(double value) {
        if (Double.isNaN(value)) {
            return "";
        }
        double size = Math.abs(value);
        String format = size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.3f";
        return String.format(Locale.ROOT, format, value);
    }
}
