import { useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { api, type Schema } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions, type DialogState } from '../../ui/dialog.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Checkbox, TextField } from '../../ui/field.tsx';
import { quantity } from '../../ui/numbers.ts';
import { useFailure } from '../../ui/use-failure.ts';
import { refreshContacts } from '../contacts/refresh-contacts.ts';
import { addressesIn } from './addresses-in.ts';

/** Limit of one call. */
const mostAddresses = 500;

interface Outcome {
  changed: number;
  notFound: string[];
}

interface ChangeMembersProps extends DialogState {
  segment: Schema<'Segment'>;
  verb: 'Add' | 'Remove';
}

/** Adds or removes any number of pasted addresses. */
export function ChangeMembersDialog(props: ChangeMembersProps) {
  const { segment, verb, isOpen, onClose } = props;
  return (
    <Dialog
      title={verb === 'Add' ? `Add to ${segment.name}` : `Remove from ${segment.name}`}
      isOpen={isOpen}
      onClose={onClose}
    >
      <ChangeMembers {...props} />
    </Dialog>
  );
}

function ChangeMembers({ segment, verb, onClose }: ChangeMembersProps) {
  const [text, setText] = useState('');
  const [createMissing, setCreateMissing] = useState(true);
  const [isPending, setIsPending] = useState(false);
  const [failure, fail] = useFailure();
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const addresses = addressesIn(text);
  const run = async () => {
    setIsPending(true);
    fail(null);
    let ended: Outcome | null = null;
    try {
      ended = await change(segment.id, verb, addresses, createMissing);
    } catch (error) {
      fail(error);
    }
    // Until then, the page behind the dialog shows the members as they were.
    await refreshContacts();
    setOutcome(ended);
    setIsPending(false);
  };
  if (outcome) return <OutcomeNote outcome={outcome} verb={verb} onClose={onClose} />;
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <TextField
        label="Addresses"
        rows={8}
        value={text}
        onChange={setText}
        placeholder="ada@example.com, grace@example.com"
        hint={
          text === ''
            ? 'One per line, or separated by commas'
            : quantity(addresses.length, 'address', 'addresses')
        }
      />
      {verb === 'Add' && (
        <Checkbox isSelected={createMissing} onChange={setCreateMissing}>
          Create subscribed contacts for unknown addresses
        </Checkbox>
      )}
      <ErrorNote error={failure} />
      <DialogActions>
        <Button onPress={onClose}>Cancel</Button>
        <Button
          type="submit"
          look={verb === 'Add' ? 'primary' : 'danger'}
          isPending={isPending}
          isDisabled={addresses.length === 0}
        >
          {verb} {quantity(addresses.length, 'address', 'addresses')}
        </Button>
      </DialogActions>
    </form>
  );
}

function OutcomeNote({
  outcome,
  verb,
  onClose,
}: {
  outcome: Outcome;
  verb: 'Add' | 'Remove';
  onClose: () => void;
}) {
  const { changed, notFound } = outcome;
  return (
    <>
      <p>
        {quantity(changed, 'contact')} {verb === 'Add' ? 'joined' : 'left'} the segment.
      </p>
      {notFound.length > 0 && (
        <>
          <p className="mt-3 text-muted">
            {quantity(notFound.length, 'address', 'addresses')} of no contact:
          </p>
          <ul className="mt-1 max-h-48 overflow-y-auto text-sm">
            {notFound.map((address) => (
              <li key={address}>{address}</li>
            ))}
          </ul>
        </>
      )}
      <DialogActions>
        <Button onPress={onClose}>Done</Button>
      </DialogActions>
    </>
  );
}

async function change(
  id: string,
  verb: 'Add' | 'Remove',
  addresses: string[],
  createMissing: boolean,
): Promise<Outcome> {
  const outcome: Outcome = { changed: 0, notFound: [] };
  const params = { path: { id } };
  for (let at = 0; at < addresses.length; at += mostAddresses) {
    const emails = addresses.slice(at, at + mostAddresses);
    try {
      if (verb === 'Add') {
        const { data } = await api.POST('/segments/{id}/members', {
          params,
          body: { emails, createMissing },
        });
        outcome.changed += data?.added ?? 0;
        outcome.notFound.push(...(data?.notFound ?? []));
      } else {
        const { data } = await api.DELETE('/segments/{id}/members', { params, body: { emails } });
        outcome.changed += data?.removed ?? 0;
        outcome.notFound.push(...(data?.notFound ?? []));
      }
    } catch (error) {
      throw withAddresses(error, emails);
    }
  }
  return outcome;
}

/** The API names an address by its index in the call. */
function withAddresses(error: unknown, emails: string[]): unknown {
  if (!(error instanceof ApiError) || error.issues.length === 0) return error;
  const errors = error.issues.map((issue) => {
    const index = /^emails\.(\d+)$/.exec(issue.field)?.[1];
    return { ...issue, field: (index && emails[Number(index)]) ?? issue.field };
  });
  return new ApiError(error.status, error.requestId, { code: 'VALIDATION_ERROR', errors });
}
