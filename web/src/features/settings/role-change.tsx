import { useState } from 'react';
import { api, type Schema } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { say, sayError } from '../../ui/toast.tsx';
import { roleText } from './roles.ts';

type Member = Schema<'Member'>;

export interface RoleChange {
  member: Member;
  role: Member['role'];
}

/** The user's own role is part of the list of projects. */
export const refreshMembers = () => refresh('/projects/{id}/members', '/users/@me/projects');

/** Changes roles at once, but asks before changing the user's own role, which only others can restore. */
export function useRoleChange(projectId: string, isMe: (member: Member) => boolean) {
  const [ownChange, setOwnChange] = useState<RoleChange | null>(null);
  const change = async ({ member, role }: RoleChange) => {
    await api.PATCH('/projects/{id}/members/{userId}', {
      params: { path: { id: projectId, userId: member.userId } },
      body: { role },
    });
    say(`${member.email} is ${roleText[role].toLowerCase()} now.`);
    await refreshMembers();
  };
  const changeOrAsk = async (wanted: RoleChange) => {
    if (isMe(wanted.member)) return setOwnChange(wanted);
    try {
      await change(wanted);
    } catch (error) {
      sayError(error);
      await refreshMembers();
    }
  };
  return { ownChange, change, changeOrAsk, close: () => setOwnChange(null) };
}

interface OwnRoleDialogProps {
  change: RoleChange | null;
  isOwner: boolean;
  onClose: () => void;
  onConfirm: (change: RoleChange) => Promise<void>;
}

export function OwnRoleDialog({ change, isOwner, onClose, onConfirm }: OwnRoleDialogProps) {
  if (change === null) return null;
  return (
    <ConfirmDialog
      title="Change your own role"
      action="Change my role"
      isOpen
      onClose={onClose}
      onConfirm={() => onConfirm(change)}
    >
      Your role becomes {roleText[change.role]}, and only {isOwner ? 'another owner' : 'an owner or admin'}{' '}
      can give you your role back.
    </ConfirmDialog>
  );
}
