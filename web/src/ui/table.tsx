import { type ReactNode, useRef } from 'react';
import { classNames } from './class-names.ts';
import { Checkbox } from './field.tsx';
import { useSizeEffect } from './use-size-effect.ts';

export interface Column<Row> {
  header: string;
  /** Tells columns with the same header apart: a field may be called `address`, as the address of the contact is. */
  id?: string;
  /** For columns of buttons, which need no header. */
  isHeaderHidden?: boolean;
  cell: (row: Row) => ReactNode;
  align?: 'right';
  /** Hidden on phones. */
  isSecondary?: boolean;
  /** Long words, such as email addresses, break on phones. */
  isBreakable?: boolean;
  className?: string;
}

export interface Selection {
  ids: ReadonlySet<string>;
  onChange: (ids: Set<string>) => void;
  /** Names a row for screen readers. */
  labelOf: (id: string) => string;
}

interface TableProps<Row> {
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  idOf: (row: Row) => string;
  selection?: Selection;
  /** Called on a click anywhere in a row. For the keyboard, put a link into the first cell. */
  onOpen?: (row: Row) => void;
}

export function Table<Row>({ label, rows, columns, idOf, selection, onOpen }: TableProps<Row>) {
  const frame = useRef<HTMLDivElement>(null);
  useSizeEffect(frame, scrollIfTooWide);
  return (
    <div ref={frame} className="group/frame -mx-4 data-scrolls:overflow-x-auto md:mx-0">
      <table aria-label={label} className="w-full border-collapse text-left">
        <thead>
          <tr className="text-xs text-muted">
            {selection && <SelectAll rows={rows.map(idOf)} selection={selection} />}
            {columns.map((column) => (
              <th
                key={column.id ?? column.header}
                scope="col"
                className={cellClass(column, `${headerClass} font-medium whitespace-nowrap`)}
              >
                {column.isHeaderHidden ? <span className="sr-only">{column.header}</span> : column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const id = idOf(row);
            return (
              <tr
                key={id}
                className={classNames(
                  'border-b border-line hover:bg-sunken',
                  onOpen && 'cursor-pointer',
                  selection?.ids.has(id) && 'bg-accent-soft',
                )}
                onClick={(event) => {
                  const isControl = (event.target as Element).closest('a,button,label,input') !== null;
                  if (!isControl) onOpen?.(row);
                }}
              >
                {selection && (
                  <td className="w-8 py-2 pl-4 align-middle leading-none md:pl-2">
                    <Checkbox
                      aria-label={selection.labelOf(id)}
                      isSelected={selection.ids.has(id)}
                      onChange={() =>
                        selection.onChange(new Set(selection.ids).symmetricDifference(new Set([id])))
                      }
                    />
                  </td>
                )}
                {columns.map((column) => (
                  <td key={column.id ?? column.header} className={cellClass(column, 'py-2 align-middle')}>
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/**
 * The sticky header sits below the page header. Its line is a shadow, because borders of a collapsed table scroll away.
 */
const headerClass =
  'sticky top-(--page-header,0px) z-10 bg-(--surface,var(--canvas)) pb-2 shadow-[inset_0_-1px_var(--line)] group-data-scrolls/frame:static';

/** Only tables that are too wide scroll: within a scrolling frame, the header can't stick to the page. */
function scrollIfTooWide(frame: HTMLElement) {
  const { firstElementChild: table } = frame;
  frame.toggleAttribute('data-scrolls', table !== null && table.scrollWidth > frame.clientWidth);
}

function cellClass<Row>(column: Column<Row>, base: string): string {
  return classNames(
    base,
    'px-2 first:pl-4 last:pr-4 md:first:pl-2 md:last:pr-2',
    column.align === 'right' && 'text-right',
    column.isSecondary && 'max-md:hidden',
    column.isBreakable && 'max-md:wrap-anywhere',
    column.className,
  );
}

function SelectAll({ rows, selection }: { rows: string[]; selection: Selection }) {
  const selected = rows.filter((id) => selection.ids.has(id)).length;
  const isAll = rows.length > 0 && selected === rows.length;
  return (
    <th scope="col" className={`${headerClass} w-8 pl-4 md:pl-2`}>
      <Checkbox
        aria-label="Select all on this page"
        isSelected={isAll}
        isIndeterminate={!isAll && selected > 0}
        onChange={() => selection.onChange(new Set(isAll ? [] : rows))}
      />
    </th>
  );
}
