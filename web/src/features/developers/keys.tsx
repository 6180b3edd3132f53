import { useState } from 'react';
import { api, type Schema } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { isAdmin } from '../../shell/session.ts';
import { Button } from '../../ui/button.tsx';
import { CopyText } from '../../ui/copy-button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { say } from '../../ui/toast.tsx';
import { SecretText } from './secret-text.tsx';

export function Keys({ project }: { project: Schema<'Project'> }) {
  const [isReplacing, setIsReplacing] = useState(false);
  const replace = async () => {
    try {
      await api.POST('/users/@me/projects/{id}/regenerate-keys', { params: { path: { id: project.id } } });
    } finally {
      // Even if the answer is lost, the keys may have been replaced.
      await refresh('/users/@me/projects');
    }
    say('Both keys were replaced. The old ones no longer work.');
  };
  return (
    <Section
      title="API keys"
      actions={
        isAdmin(project) && (
          <Button look="danger" onPress={() => setIsReplacing(true)}>
            Replace both keys
          </Button>
        )
      }
    >
      <Table
        label="API keys"
        idOf={({ name }) => name}
        rows={[
          {
            name: 'Public key',
            purpose: 'Only tracks events. Safe to use in a web page.',
            key: <CopyText text={project.publicKey} label="Copy the public key" />,
          },
          {
            name: 'Secret key',
            purpose: 'Full access to this project. Keep it on your servers.',
            key:
              project.secretKey === undefined ? (
                <span className="text-muted">Only owners and admins see it.</span>
              ) : (
                <SecretText secret={project.secretKey} name="secret key" />
              ),
          },
        ]}
        columns={[
          {
            header: 'Name',
            cell: ({ name, purpose }) => (
              <>
                <p className="font-medium">{name}</p>
                <p className="text-sm text-muted">{purpose}</p>
              </>
            ),
          },
          { header: 'Key', cell: ({ key }) => key },
        ]}
      />
      <ConfirmDialog
        title="Replace both keys"
        action="Replace the keys"
        isOpen={isReplacing}
        onClose={() => setIsReplacing(false)}
        onConfirm={replace}
      >
        The old keys stop working at once, in every application that uses them. Put the new ones there right
        afterward.
      </ConfirmDialog>
    </Section>
  );
}
