import type { ReactNode } from 'react';
import { Address } from '../ui/address.tsx';
import { RowLink, TextLink } from '../ui/button.tsx';
import { useProjectId } from './use-project-id.ts';

const to = '/projects/$projectId/contacts/$contactId';

interface ContactLinkProps {
  contactId: string | null;
  className?: string;
  children: ReactNode;
}

/** A link within text; only the text if the contact has been deleted. */
export function ContactLink({ contactId, ...props }: ContactLinkProps) {
  const projectId = useProjectId();
  if (contactId === null) return props.children;
  return <TextLink to={to} params={{ projectId, contactId }} {...props} />;
}

/** The first cell of a row about a contact. */
export function ContactCell({ contactId, email }: { contactId: string; email: string }) {
  const projectId = useProjectId();
  return (
    <RowLink to={to} params={{ projectId, contactId }}>
      <Address email={email} />
    </RowLink>
  );
}
