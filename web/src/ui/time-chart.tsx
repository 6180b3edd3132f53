import { memo, type PointerEvent, useRef, useState } from 'react';
import { labeledPoints, ticksUpTo } from './chart-scale.ts';
import { count, shortCount } from './numbers.ts';
import { createHourText } from './time-text.ts';
import { useWidth } from './use-width.ts';

export interface Series {
  /** Key of the series in each point. */
  key: string;
  label: string;
  /** A color of the theme, such as `var(--accent)`. */
  color: string;
}

/** With a `date` (day or instant, ISO 8601, UTC) and a number per series. */
type Point = Record<string, string | number>;

interface TimeChartProps {
  points: readonly Point[];
  series: readonly Series[];
  label: string;
  /** What the vertical axis counts, such as "Emails". */
  unit: string;
}

const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const hourText = createHourText();
const isDay = (date: unknown) => String(date).length === 10;
const dateText = (date: unknown): string => {
  const instant = new Date(String(date));
  return isDay(date) ? day.format(instant) : hourText(instant);
};

// In pixels.
const height = 244;
const plot = { left: 40, right: 12, top: 28, bottom: 24 };
const labelWidths = { day: 84, moment: 128 };

const figureOf = (point: Point, { key }: Series) => Number(point[key] ?? 0);

/** Maps points and values to pixels for a chart of this width. */
function createScale(points: readonly Point[], series: readonly Series[], width: number) {
  const ticks = ticksUpTo(
    Math.max(0, ...points.flatMap((point) => series.map((one) => figureOf(point, one)))),
  );
  const most = ticks.at(-1) ?? 1;
  const last = points.length - 1;
  const across = Math.max(0, width - plot.left - plot.right);
  return {
    width,
    across,
    ticks,
    x: (index: number) => plot.left + (last < 1 ? across : (index / last) * across),
    y: (value: number) => plot.top + (1 - value / most) * (height - plot.top - plot.bottom),
    /** The index of the point nearest to this distance from the left edge of the chart. */
    indexAt: (left: number) => Math.max(0, Math.min(last, Math.round(((left - plot.left) / across) * last))),
  };
}

type Scale = ReturnType<typeof createScale>;

/** A line chart of counts over time; hovering shows the counts at a point. */
export function TimeChart({ points, series, label, unit }: TimeChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const [at, setAt] = useState<number | null>(null);
  const scale = createScale(points, series, width);
  const { x, y } = scale;
  const follow = ({ clientX, currentTarget }: PointerEvent) =>
    setAt(scale.indexAt(clientX - currentTarget.getBoundingClientRect().left));
  const shown = at === null ? undefined : points[at];
  return (
    <figure aria-label={label} className="text-xs text-muted">
      <div ref={frame} className="relative" style={{ height }}>
        <svg
          aria-hidden
          width={width}
          height={height}
          className="absolute inset-0"
          onPointerMove={follow}
          onPointerLeave={() => setAt(null)}
        >
          <Axes points={points} unit={unit} scale={scale} />
          {at !== null && <line x1={x(at)} x2={x(at)} y1={plot.top} y2={y(0)} stroke="var(--line-strong)" />}
          {/* Drawn in reverse, so that the first series is on top. */}
          {[...series].reverse().map((one) => (
            <Curve key={one.key} series={one} points={points} scale={scale} at={at} />
          ))}
        </svg>
        {shown && at !== null && (
          <div
            className="pointer-events-none absolute top-2 z-10 rounded-lg bg-raised px-3 py-2 shadow-overlay"
            style={x(at) > width / 2 ? { right: width - x(at) + 8 } : { left: x(at) + 8 }}
          >
            <p className="font-medium text-ink">{dateText(shown.date)}</p>
            {series.map((one) => (
              <p key={one.key} className="flex items-center gap-2" data-numeric>
                <Mark color={one.color} />
                {one.label}
                <span className="ml-auto pl-3 text-ink">{count(figureOf(shown, one))}</span>
              </p>
            ))}
          </div>
        )}
      </div>
      <figcaption className="mt-2 flex flex-wrap justify-center gap-x-4">
        {series.map(({ key, label: name, color }) => (
          <span key={key} className="flex items-center gap-1.5">
            <Mark color={color} />
            {name}
          </span>
        ))}
      </figcaption>
      {/* In Firefox, the caption of a table that is hidden itself would stay visible. */}
      <div className="sr-only">
        <Figures points={points} series={series} label={label} />
      </div>
    </figure>
  );
}

interface AxesProps {
  points: readonly Point[];
  unit: string;
  scale: Scale;
}

function Axes({ points, unit, scale: { width, across, ticks, x, y } }: AxesProps) {
  const isByDay = isDay(points[0]?.date);
  const labelWidth = labelWidths[isByDay ? 'day' : 'moment'];
  return (
    <>
      <text x={0} y={12} fill="currentColor">
        {unit} per {isByDay ? 'day (UTC)' : 'hour'}
      </text>
      {ticks.map((tick) => (
        <g key={tick}>
          <line x1={plot.left} x2={width - plot.right} y1={y(tick)} y2={y(tick)} stroke="var(--line)" />
          <text x={plot.left - 8} y={y(tick) + 4} textAnchor="end" fill="currentColor">
            {shortCount(tick)}
          </text>
        </g>
      ))}
      {labeledPoints(points.length, Math.floor(across / labelWidth)).map((index) => (
        <text
          key={index}
          x={index === points.length - 1 ? width : Math.max(x(index), labelWidth / 2)}
          y={height - 4}
          textAnchor={index === points.length - 1 ? 'end' : 'middle'}
          fill="currentColor"
        >
          {dateText(points[index]?.date)}
        </text>
      ))}
    </>
  );
}

interface CurveProps {
  series: Series;
  points: readonly Point[];
  scale: Scale;
  /** Index of the point under the pointer. */
  at: number | null;
}

function Curve({ series, points, scale: { x, y }, at }: CurveProps) {
  return (
    <g stroke={series.color} fill={series.color}>
      <polyline
        points={points.map((point, index) => `${x(index)},${y(figureOf(point, series))}`).join(' ')}
        fill="none"
        strokeWidth={2}
        strokeLinejoin="round"
      />
      {points.map((point, index) =>
        index === at || points.length === 1 ? (
          <circle key={String(point.date)} cx={x(index)} cy={y(figureOf(point, series))} r={3} />
        ) : null,
      )}
    </g>
  );
}

function Mark({ color }: { color: string }) {
  return <span aria-hidden className="h-0.5 w-3 rounded-full" style={{ background: color }} />;
}

/** The same data as a table for screen readers. Memoized, because it does not depend on the width or the pointer. */
const Figures = memo(function Figures({ points, series, label }: Omit<TimeChartProps, 'unit'>) {
  return (
    <table>
      <caption>{label}</caption>
      <thead>
        <tr>
          <th scope="col">When</th>
          {series.map((one) => (
            <th key={one.key} scope="col">
              {one.label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {points.map((point) => (
          <tr key={String(point.date)}>
            <th scope="row">{dateText(point.date)}</th>
            {series.map(({ key }) => (
              <td key={key}>{count(Number(point[key] ?? 0))}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
});
