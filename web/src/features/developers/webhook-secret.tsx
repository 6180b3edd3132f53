import { useState } from 'react';
import { $api, api } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Loaded } from '../../ui/list.tsx';
import { Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { say } from '../../ui/toast.tsx';
import { SecretText } from './secret-text.tsx';

export function WebhookSecret({ projectId }: { projectId: string }) {
  const params = { path: { id: projectId } };
  const query = $api.useQuery('get', '/projects/{id}/webhook-secret', { params });
  const [isReplacing, setIsReplacing] = useState(false);
  const replace = async () => {
    await api.POST('/projects/{id}/webhook-secret/rotate', { params });
    await refresh('/projects/{id}/webhook-secret');
    say('The secret was replaced. For 24 hours both sign each call.');
  };
  return (
    <Section
      title="Webhook secret"
      description="Signs the calls of webhook steps in workflows. Verify the signature with a Standard Webhooks library before you trust a call."
      actions={
        <Button look="danger" onPress={() => setIsReplacing(true)}>
          Replace the secret
        </Button>
      }
    >
      <Loaded query={query}>
        {({ secret, previousSecret, previousSecretValidUntil }) => (
          <dl className="grid grid-cols-[6rem_1fr] items-center gap-x-3 gap-y-1">
            <dt className="text-muted">Secret</dt>
            <dd>
              <SecretText secret={secret} name="webhook secret" />
            </dd>
            {previousSecret !== null && previousSecretValidUntil !== null && (
              <>
                <dt className="text-muted">Previous</dt>
                <dd className="flex flex-wrap items-center gap-x-3">
                  <SecretText secret={previousSecret} name="previous secret" />
                  <span className="text-sm text-muted">
                    signs until <Time at={previousSecretValidUntil} form="exact" />
                  </span>
                </dd>
              </>
            )}
          </dl>
        )}
      </Loaded>
      <ConfirmDialog
        title="Replace the webhook secret"
        action="Replace the secret"
        isOpen={isReplacing}
        onClose={() => setIsReplacing(false)}
        onConfirm={replace}
      >
        For 24 hours each call carries the signatures of both secrets, so that receivers can switch over.
        {query.data?.previousSecret && ' The secret before the current one stops signing at once.'}
      </ConfirmDialog>
    </Section>
  );
}
