import type { JsonObject } from '../../../core/json-value.ts';

export interface ContactWrite {
  projectId: string;
  email: string;
  contactId: string;
  /** Undefined leaves it unchanged. */
  subscribed: boolean | undefined;
  /** Null removes a key. */
  patch: JsonObject;
  flipId: string;
  occurredAt: Date;
}

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

export interface MergedWrites {
  rows: ContactInputRow[];
  ordOf: number[];
}

/**
 * Merges the writes to each contact into one with the same result as applying them in order. Writes to one contact
 * that set its subscription must agree.
 *
 * @param newSubscribed subscription of created contacts whose writes do not set it
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
