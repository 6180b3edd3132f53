import { $api, api, type Schema } from '../../api/client.ts';
import { ifMatch, isStale } from '../../api/if-match.ts';
import { queryClient } from '../../api/query-client.ts';
import { isSameData } from '../../ui/same-data.ts';
import { say, sayError } from '../../ui/toast.tsx';
import { dataText } from './data-text.ts';
import { contactQuery } from './queries.ts';
import { refreshContacts } from './refresh-contacts.ts';

type Contact = Schema<'Contact'>;

interface ContactChange {
  email?: string;
  subscribed?: boolean;
  /** The keys to change; null deletes one. */
  data?: Record<string, unknown>;
}

/** The save of each contact that was begun last, until it ends. */
const lastSaves = new Map<string, Promise<Contact>>();

/**
 * Shows the change at once, and reverts it if the API refuses it. Saves of a contact are sent one after the other. A
 * change of data is refused (409) if somebody else has changed the contact since it was read.
 */
export async function saveContact(contact: Contact, change: ContactChange): Promise<Contact> {
  const { id } = contact;
  const show = (changed: Contact) => queryClient.setQueryData(keyOf(contact), changed);
  show({ ...contact, ...change, data: patched(contact.data, change.data) });
  const save = send(contact, change, lastSaves.get(id));
  lastSaves.set(id, save);
  // What a later change shows stays.
  const isLast = () => lastSaves.get(id) === save;
  try {
    const saved = await save;
    if (isLast()) show(saved);
    return saved;
  } catch (error) {
    if (isLast()) show(contact);
    throw error;
  } finally {
    if (isLast()) {
      lastSaves.delete(id);
      void refreshContacts();
    }
  }
}

async function send(contact: Contact, change: ContactChange, before?: Promise<Contact>): Promise<Contact> {
  const stored = await before?.catch(() => undefined);
  // Already shown while it was being stored.
  const seen = stored && isSameData(stored.data, contact.data) ? stored : contact;
  const params = { path: { id: contact.id }, header: change.data ? ifMatch(seen) : {} };
  const { data } = await api.PATCH('/contacts/{id}', { params, body: change });
  if (!data) throw new Error('The server did not return the contact.');
  return data;
}

const keyOf = ({ id }: Contact) =>
  $api.queryOptions('get', '/contacts/{id}', { params: { path: { id } } }).queryKey;

function patched(
  data: Record<string, unknown>,
  change: Record<string, unknown> = {},
): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...data, ...change }).filter(([, value]) => value !== null));
}

export const reservedName = 'This name is reserved, so nothing is stored. Choose another.';

/** Somebody else has changed the same key. */
export class ChangedMeanwhile extends Error {
  readonly value: unknown;

  constructor(value: unknown) {
    super(`Changed meanwhile to “${dataText(value)}”. Save again to replace it.`);
    this.value = value;
  }
}

/** Also saves if somebody else has changed other keys. @throws ChangedMeanwhile */
async function saveOverOthers(contact: Contact, name: string, value: unknown): Promise<Contact> {
  const change = { data: { [name]: value } };
  try {
    return await saveContact(contact, change);
  } catch (error) {
    if (!isStale(error)) throw error;
    const newest = await queryClient.fetchQuery({ ...contactQuery(contact.id), staleTime: 0 });
    // An earlier try was stored, and its answer lost.
    if (isSameData(newest.data[name] ?? null, value)) return newest;
    if (!isSameData(newest.data[name], contact.data[name])) throw new ChangedMeanwhile(newest.data[name]);
    return saveContact(newest, change);
  }
}

/**
 * Saves one key of `data`, or deletes it with null, and offers to undo that.
 *
 * @throws ChangedMeanwhile
 */
export async function saveDataField(
  contact: Contact,
  name: string,
  value: unknown,
  before: unknown = contact.data[name],
): Promise<void> {
  const saved = await saveOverOthers(contact, name, value);
  // The API leaves out reserved names without a word.
  if (value !== null && !Object.hasOwn(saved.data, name)) throw new Error(reservedName);
  say(value === null ? `${name} is deleted` : `${name} is saved`, () => {
    const newest = queryClient.getQueryData<Contact>(keyOf(saved)) ?? saved;
    // A newer value of the same field is not undone: the API refuses the older version.
    const base = isSameData(newest.data[name], saved.data[name]) ? newest : saved;
    void saveContact(base, { data: { [name]: before ?? null } }).catch(sayError);
  });
}
