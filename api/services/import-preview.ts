import { type FieldType, inferFieldType } from '../../core/contact-data/infer-field-type.ts';
import { columnOfKey } from '../../core/contact-import/columns.ts';
import { type ImportFormat, readImportFormat } from '../../core/contact-import/import-format.ts';
import { createNotationTally } from '../../core/contact-import/notation.ts';
import type { BadRow, GoodRow } from '../../core/contact-import/read-row.ts';
import { type ImportHeader, readHeader, readRows } from '../../core/contact-import/read-rows.ts';
import { createEncodingDetector } from '../../core/contact-import/text-encoding.ts';
import { validationFailed } from '../../core/errors.ts';
import { Contact } from '../../db/entities/contact.ts';
import { projectEm } from '../../db/entities/project-em.ts';
import type { Orm } from '../../db/orm.ts';
import { type ImportForm, readMapping } from './import-intake.ts';

export type ImportPreview = Awaited<ReturnType<typeof previewImport>>;

interface PreviewedColumn {
  name: string;
  field: string | null;
  type: FieldType | null;
}

const mostErrors = 100;
const previewRows = 10;
const rowsPerLook = 2_000;
const pieceBytes = 16 * 1024;
const headerBytes = 256 * 1024;

export interface ImportFile {
  bytes: Buffer;
  format: ImportFormat;
}

export async function previewImport(orm: Orm, projectId: string, { bytes: file, format }: ImportFile) {
  const header = await readHeader(piecesOf(file), format);
  const types = new Map<string, FieldType>();
  const tally = createNotationTally();
  const seen = new Set<string>();
  const errors: BadRow[] = [];
  const preview: GoodRow[] = [];
  const figures = {
    totalRows: 0,
    wouldCreate: 0,
    wouldUpdate: 0,
    repeated: 0,
    invalid: 0,
  };

  const count = async (rows: GoodRow[]): Promise<void> => {
    const fresh = new Set(rows.map(({ email }) => email).filter((email) => !seen.has(email)));
    const known = await projectEm(orm, projectId)
      .getRepository(Contact)
      .findKnown([...fresh]);
    const created = fresh.size - known.length;
    figures.wouldCreate += created;
    figures.wouldUpdate += rows.length - created;
    figures.repeated += rows.length - fresh.size;
    for (const email of fresh) seen.add(email);
  };

  let batch: GoodRow[] = [];
  for await (const rows of readRows(piecesOf(file), format)) {
    for (const row of rows) {
      figures.totalRows += 1;
      if (!row.ok) {
        figures.invalid += 1;
        if (errors.length < mostErrors) errors.push(row);
        continue;
      }
      learn(types, row);
      tally.add(row);
      if (preview.length < previewRows) preview.push(row);
      batch.push(row);
    }
    if (batch.length < rowsPerLook) continue;
    await count(batch);
    batch = [];
  }
  await count(batch);
  return { ...figures, errors, preview, notices: tally.notices(), columns: toColumns(header, types) };
}

/**
 * Reads a form into memory.
 * @throws DomainError `VALIDATION_ERROR` as the import itself
 */
export async function readImportFile({ bytes, fields }: ImportForm): Promise<ImportFile> {
  const detector = createEncodingDetector();
  const parts: Uint8Array[] = [];
  for await (const part of bytes) {
    detector.add(part);
    parts.push(part);
  }
  const file = Buffer.concat(parts);
  const mapping = readMapping(fields.get('mapping'));
  const read = readImportFormat(file.subarray(0, headerBytes), detector.detect(), file.length, mapping);
  if (!read.ok) throw validationFailed([{ field: 'file', message: read.message, code: 'custom' }]);
  return { bytes: file, format: read.format };
}

async function* piecesOf(file: Buffer): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < file.length; start += pieceBytes) {
    yield file.subarray(start, start + pieceBytes);
  }
}

function learn(types: Map<string, FieldType>, { data }: GoodRow): void {
  for (const [key, value] of Object.entries(data)) {
    if (value !== null && !types.has(key)) types.set(key, inferFieldType(value));
  }
}

function toColumns(
  { names, columns }: ImportHeader,
  types: ReadonlyMap<string, FieldType>,
): PreviewedColumn[] {
  const keys = new Map(columns.data.map(({ index, key }) => [index, key]));
  return names.map((name, index) => {
    if (index === columns.email) return { name, field: 'email', type: 'string' };
    if (index === columns.subscribed) return { name, field: 'subscribed', type: 'boolean' };
    const key = keys.get(index);
    if (key === undefined) return { name, field: null, type: null };
    return { name, field: columnOfKey(key), type: types.get(key) ?? null };
  });
}
