import { $api, api } from '../../api/client.ts';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Loaded } from '../../ui/list.tsx';
import { quantity } from '../../ui/numbers.ts';
import { say } from '../../ui/toast.tsx';
import { refreshContacts } from './refresh-contacts.ts';

interface DeleteFieldDialogProps {
  /** Key in `data`. */
  dataKey: string;
  onClose: () => void;
  onDeleted: () => void;
}

/** Shows what uses the field before deleting it from every contact. */
export function DeleteFieldDialog({ dataKey, onClose, onDeleted }: DeleteFieldDialogProps) {
  const params = { path: { field: `data.${dataKey}` } };
  // Not refetched with the list of contacts, because then the field is gone.
  const once = { staleTime: 'static', gcTime: 0 } as const;
  const usage = $api.useQuery('get', '/contacts/fields/{field}/usage', { params }, once);
  return (
    <ConfirmDialog
      title="Delete the field"
      action="Delete the field"
      confirmText={dataKey}
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        await api.DELETE('/contacts/fields/{field}', { params });
        onDeleted();
        await refreshContacts();
        say(`“${dataKey}” is deleted`);
      }}
    >
      <Loaded query={usage}>
        {({ contactCount: counted, usedInSegments, usedInCampaigns, usedInWorkflows }) => {
          // Null for a key with a dot that no contact has any more.
          const contactCount = counted ?? 0;
          const uses = [
            ...usedInSegments.map(({ id, name }) => ({ id, text: `Segment “${name}”` })),
            ...usedInCampaigns.map(({ id, name }) => ({ id, text: `Campaign “${name}”` })),
            ...usedInWorkflows.map(({ id, name }) => ({ id, text: `Workflow “${name}”` })),
          ];
          return (
            <>
              <p>
                {quantity(contactCount, 'contact')} {contactCount === 1 ? 'loses' : 'lose'} the value of “
                {dataKey}
                ”. This can’t be undone.
              </p>
              {uses.length > 0 && (
                <>
                  <p className="mt-2">Conditions that read it no longer match:</p>
                  <ul className="list-disc pl-5">
                    {uses.map(({ id, text }) => (
                      <li key={id}>{text}</li>
                    ))}
                  </ul>
                </>
              )}
            </>
          );
        }}
      </Loaded>
    </ConfirmDialog>
  );
}
