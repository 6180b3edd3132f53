import type { JsonObject } from '../../../core/json-value.ts';

/** What a request does to one contact. */
export interface ContactWrite {
  projectId: string;
  /** Normalised. */
  email: string;
  /** Id for the contact if it has to be created. */
  contactId: string;
  /** Undefined keeps the state. */
  subscribed: boolean | undefined;
  /** Keys to set; null removes a key. */
  patch: JsonObject;
  /** Id for the event of a change of the subscription. */
  flipId: string;
  occurredAt: Date;
}

/** A row of the parameter that `upsertContactsSql` reads. */
interface ContactInputRow {
  ord: number;
  project_id: string;
  email: string;
  contact_id: string;
  subscribed: boolean | null;
  new_subscribed: boolean;
  set_data: Record<string, unknown>;
  removed: string[];
  flip_id: string;
  flip_at: Date;
  created_at: Date;
  updated_at: Date;
}

/** Writes by contact, and where each of them went. */
export interface MergedWrites {
  rows: ContactInputRow[];
  /** For each write, in order, the `ord` of its row. */
  ordOf: number[];
}

/**
 * Joins the writes of each contact into one that does what they would do one after the other. Writes of one
 * contact that say something about its subscription have to say the same.
 *
 * @param newSubscribed the subscription of a contact that is created by a write that does not speak of it
 */
export function mergeContactWrites(writes: readonly ContactWrite[], newSubscribed: boolean): MergedWrites {
  const rows: ContactInputRow[] = [];
  const ordByContact = new Map<string, number>();
  const ordOf = writes.map((write) => {
    const contact = `${write.projectId} ${write.email}`;
    const ord = ordByContact.get(contact) ?? rows.length;
    ordByContact.set(contact, ord);
    const row = rows[ord] ?? startRow(write, ord, newSubscribed);
    rows[ord] = row;
    applyWrite(row, write);
    return ord;
  });
  return { rows, ordOf };
}

function startRow(write: ContactWrite, ord: number, newSubscribed: boolean): ContactInputRow {
  return {
    ord,
    project_id: write.projectId,
    email: write.email,
    contact_id: write.contactId,
    subscribed: null,
    new_subscribed: newSubscribed,
    set_data: {},
    removed: [],
    flip_id: write.flipId,
    flip_at: write.occurredAt,
    created_at: write.occurredAt,
    updated_at: write.occurredAt,
  };
}

function applyWrite(row: ContactInputRow, write: ContactWrite): void {
  const { set, removed } = splitPatch(write.patch);
  for (const key of removed) delete row.set_data[key];
  Object.assign(row.set_data, set);
  row.removed.push(...removed);
  if (write.subscribed !== undefined && row.subscribed === null) {
    row.subscribed = write.subscribed;
    row.new_subscribed = write.subscribed;
    row.flip_id = write.flipId;
    row.flip_at = write.occurredAt;
  }
  row.updated_at = write.occurredAt;
}

/** The two halves of a patch: data after it is `(data - removed) || set`. */
export function splitPatch(patch: Record<string, unknown>): {
  set: Record<string, unknown>;
  removed: string[];
} {
  const entries = Object.entries(patch);
  return {
    set: Object.fromEntries(entries.filter(([, value]) => value !== null)),
    removed: entries.flatMap(([key, value]) => (value === null ? [key] : [])),
  };
}
