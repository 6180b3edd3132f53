import { useState } from 'react';
import { $api } from '../../api/client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Button, RowLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { AddDomainDialog } from './add-domain-dialog.tsx';
import { DomainBadge } from './domain-badge.tsx';

export function DomainListPage() {
  const projectId = useProjectId();
  const [isAdding, setIsAdding] = useState(false);
  const query = $api.useQuery('get', '/domains/project/{projectId}', { params: { path: { projectId } } });
  const add = (
    <Button look="primary" onPress={() => setIsAdding(true)}>
      Add a domain
    </Button>
  );
  return (
    <Page
      title="Domains"
      description="You can send only from domains that you have verified in DNS."
      actions={add}
    >
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No domain yet">
              Add the domain that you send from, and copy the records that it needs to your DNS provider.
            </EmptyState>
          ) : (
            <Table
              label="Domains"
              rows={data}
              idOf={({ id }) => id}
              columns={[
                {
                  header: 'Domain',
                  isBreakable: true,
                  cell: ({ id, domain }) => (
                    <RowLink to="/projects/$projectId/domains/$domainId" params={{ projectId, domainId: id }}>
                      {domain}
                    </RowLink>
                  ),
                },
                { header: 'Status', cell: (domain) => <DomainBadge domain={domain} /> },
                {
                  header: 'Records found',
                  align: 'right',
                  cell: ({ records }) =>
                    `${records.filter(({ found }) => found).length} of ${records.length}`,
                },
                {
                  header: 'Added',
                  align: 'right',
                  isSecondary: true,
                  cell: ({ createdAt }) => <Time at={createdAt} />,
                },
              ]}
            />
          )
        }
      </Loaded>
      <AddDomainDialog isOpen={isAdding} onClose={() => setIsAdding(false)} />
    </Page>
  );
}
