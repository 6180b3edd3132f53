import { useState } from 'react';
import { $api, api, type Schema } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Loaded } from '../../ui/list.tsx';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { say } from '../../ui/toast.tsx';

type Session = Schema<'Session'>;

const nameOf = ({ browser, system }: Session) =>
  browser !== null && system !== null ? `${browser} on ${system}` : (browser ?? system ?? 'Unknown browser');

/** Where the user is signed in. */
export function SessionsSection() {
  const query = $api.useQuery('get', '/auth/sessions');
  const [doomed, setDoomed] = useState<Session | 'others' | null>(null);
  const end = async () => {
    if (doomed === null) return;
    if (doomed === 'others') await api.DELETE('/auth/sessions');
    else await api.DELETE('/auth/sessions/{id}', { params: { path: { id: doomed.id } } });
    await refresh('/auth/sessions');
    say('Signed out there.');
  };
  return (
    <Section
      title="Sessions"
      description="Browsers that are signed in to your account."
      actions={<Button onPress={() => setDoomed('others')}>Sign out everywhere else</Button>}
    >
      <Loaded query={query}>
        {({ data }) => (
          <Table
            label="Sessions"
            rows={data}
            idOf={({ id }) => id}
            columns={[
              {
                header: 'Browser',
                cell: (session) => (
                  <span className="flex flex-wrap items-center gap-2">
                    {nameOf(session)}
                    {session.current && <Badge tone="good">This browser</Badge>}
                  </span>
                ),
              },
              { header: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
              { header: 'Signed in', isSecondary: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
              {
                header: 'Actions',
                isHeaderHidden: true,
                align: 'right',
                cell: (session) =>
                  !session.current && (
                    <Button
                      look="quiet"
                      aria-label={`Sign out ${nameOf(session)}`}
                      onPress={() => setDoomed(session)}
                    >
                      Sign out
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
      <ConfirmDialog
        title={doomed === 'others' ? 'Sign out everywhere else?' : 'Sign out this session?'}
        action="Sign out"
        isOpen={doomed !== null}
        onClose={() => setDoomed(null)}
        onConfirm={end}
      >
        {doomed === 'others'
          ? 'Every other browser has to sign in again. This one stays signed in.'
          : doomed !== null && `${nameOf(doomed)} has to sign in again.`}
      </ConfirmDialog>
    </Section>
  );
}
