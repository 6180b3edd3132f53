import type { JsonObject } from '../../../core/json-value.ts';
import { newId } from '../../../core/new-id.ts';

export interface ContactWrite {
  projectId: string;
  email: string;
  contactId: string;
  /** Undefined leaves the subscription unchanged. */
  subscribed: boolean | undefined;
  /** Null removes a key. */
  patch: JsonObject;
  flipId: string;
  occurredAt: Date;
}

/** A write that creates the contact, or leaves it as it is. */
export const creationOf = (projectId: string, email: string, occurredAt: Date): ContactWrite => ({
  projectId,
  email,
  contactId: newId(),
  subscribed: undefined,
  patch: {},
  flipId: newId(),
  occurredAt,
});

interface ContactInputRow {
  ord: number;
  project_id: string;
  email: string;
  contact_id: string;
  new_subscribed: boolean;
  set_data: Record<string, unknown>;
  updated_at: Date;
  /** Defaults to `updated_at`. */
  created_at?: Date;
  removed?: string[];
  /** Set together with the id and time of the event to journal. */
  subscribed?: boolean;
  flip_id?: string;
  flip_at?: Date;
}

/**
 * Merges the writes to each contact into one with the same result as applying them in order. Writes that set the
 * subscription of one contact must agree.
 *
 * @param newSubscribed subscription of created contacts whose writes do not set it
 */
export function mergeContactWrites(writes: readonly ContactWrite[], newSubscribed: boolean) {
  const rows: ContactInputRow[] = [];
  const ordByContact = new Map<string, number>();
  /** Rows whose `set_data` is the patch of their only write, which many writes may share. */
  const sharing = new Set<ContactInputRow>();
  const isOnlySet = memoize((patch: JsonObject) => !Object.values(patch).includes(null));
  const ordOf = writes.map((write) => {
    const contact = `${write.projectId} ${write.email}`;
    const ord = ordByContact.get(contact) ?? rows.length;
    ordByContact.set(contact, ord);
    let row = rows[ord];
    if (row === undefined) {
      row = startRow(write, ord, newSubscribed);
      rows[ord] = row;
      if (isOnlySet(write.patch)) {
        row.set_data = write.patch;
        sharing.add(row);
      } else applyPatch(row, write.patch);
    } else {
      if (sharing.delete(row)) row.set_data = { ...row.set_data };
      applyPatch(row, write.patch);
    }
    applyRest(row, write);
    return ord;
  });
  return { rows, ordOf };
}

/** JSON of the rows. Renders a patch that contacts share once: one of thousands of keys takes milliseconds. */
export function toContactInput(rows: readonly ContactInputRow[]): string {
  const render = memoize((data: object) => JSON.stringify(data));
  const texts = rows.map(
    ({ set_data, ...row }) => `{"set_data":${render(set_data)},${JSON.stringify(row).slice(1)}`,
  );
  return `[${texts.join(',')}]`;
}

function memoize<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const value = known.get(key) ?? compute(key);
    known.set(key, value);
    return value;
  };
}

function startRow(write: ContactWrite, ord: number, newSubscribed: boolean): ContactInputRow {
  return {
    ord,
    project_id: write.projectId,
    email: write.email,
    contact_id: write.contactId,
    new_subscribed: newSubscribed,
    set_data: {},
    updated_at: write.occurredAt,
  };
}

function applyPatch(row: ContactInputRow, patch: JsonObject): void {
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) {
      delete row.set_data[key];
      row.removed ??= [];
      row.removed.push(key);
    } else row.set_data[key] = value;
  }
}

function applyRest(row: ContactInputRow, write: ContactWrite): void {
  if (write.subscribed !== undefined && row.subscribed === undefined) {
    row.subscribed = write.subscribed;
    row.new_subscribed = write.subscribed;
    row.flip_id = write.flipId;
    row.flip_at = write.occurredAt;
  }
  if (row.updated_at !== write.occurredAt) row.created_at ??= row.updated_at;
  row.updated_at = write.occurredAt;
}
