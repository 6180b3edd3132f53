import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { $api, api, type Schema } from '../../api/client.ts';
import { userQuery } from '../../shell/session.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Loaded } from '../../ui/list.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Section } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { say, sayError } from '../../ui/toast.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { OwnRoleDialog, type RoleChange, refreshMembers, useRoleChange } from './role-change.tsx';
import { roleOptions, roleText } from './roles.ts';
import { useLeaveProject } from './use-leave-project.ts';

type Member = Schema<'Member'>;
type Invitation = Schema<'Invitation'>;

export function Members({ project }: { project: Schema<'Project'> }) {
  const query = $api.useQuery('get', '/projects/{id}/members', { params: { path: { id: project.id } } });
  const [isInviting, setIsInviting] = useState(false);
  return (
    <>
      <Loaded query={query}>
        {({ data, invitations }) => (
          <div className="flex flex-col gap-8">
            <Section
              title="Members"
              actions={
                <Button look="primary" onPress={() => setIsInviting(true)}>
                  Invite a member
                </Button>
              }
            >
              <CurrentMembers project={project} members={data} />
            </Section>
            {invitations.length > 0 && <Invitations projectId={project.id} invitations={invitations} />}
          </div>
        )}
      </Loaded>
      <InviteDialog
        projectId={project.id}
        isOwner={project.role === 'OWNER'}
        isOpen={isInviting}
        onClose={() => setIsInviting(false)}
      />
    </>
  );
}

interface CurrentMembersProps {
  project: Schema<'Project'>;
  members: Member[];
}

/** The members, with confirmation dialogs for changing one's own role and for removing someone. */
function CurrentMembers({ project, members }: CurrentMembersProps) {
  const { data: user } = useSuspenseQuery(userQuery);
  const [leaving, setLeaving] = useState<Member | null>(null);
  const isMe = ({ userId }: Member) => userId === user.id;
  const isOwner = project.role === 'OWNER';
  const roles = useRoleChange(project.id, isMe);
  return (
    <>
      <MemberTable
        members={members}
        isOwner={isOwner}
        isMe={isMe}
        onRole={(change) => void roles.changeOrAsk(change)}
        onRemove={setLeaving}
      />
      <OwnRoleDialog
        change={roles.ownChange}
        isOwner={isOwner}
        onClose={roles.close}
        onConfirm={roles.change}
      />
      {leaving && (
        <RemoveMemberDialog
          projectId={project.id}
          member={leaving}
          isMe={isMe(leaving)}
          onClose={() => setLeaving(null)}
        />
      )}
    </>
  );
}

interface RemoveMemberDialogProps {
  projectId: string;
  member: Member;
  isMe: boolean;
  onClose: () => void;
}

function RemoveMemberDialog({ projectId, member, isMe, onClose }: RemoveMemberDialogProps) {
  const leaveProject = useLeaveProject();
  const remove = async () => {
    const path = { id: projectId, userId: member.userId };
    await api.DELETE('/projects/{id}/members/{userId}', { params: { path } });
    if (isMe) await leaveProject();
    else await refreshMembers();
  };
  return (
    <ConfirmDialog
      title={isMe ? 'Leave the project' : 'Remove the member'}
      action={isMe ? 'Leave' : 'Remove'}
      isOpen
      onClose={onClose}
      onConfirm={remove}
    >
      {isMe
        ? 'You lose access to this project until somebody invites you again.'
        : `${member.email} loses access to this project. You can invite them again.`}
    </ConfirmDialog>
  );
}

interface MemberTableProps {
  members: Member[];
  isOwner: boolean;
  isMe: (member: Member) => boolean;
  onRole: (change: RoleChange) => void;
  onRemove: (member: Member) => void;
}

function MemberTable({ members, isOwner, isMe, onRole, onRemove }: MemberTableProps) {
  const roles = isOwner ? roleOptions : roleOptions.filter(({ value }) => value !== 'OWNER');
  const columns: Column<Member>[] = [
    {
      header: 'Member',
      isBreakable: true,
      cell: ({ name, email }) => (
        <>
          <span className="block font-medium">{name ?? email}</span>
          {name !== null && <span className="block text-sm text-muted">{email}</span>}
        </>
      ),
    },
    {
      header: 'Role',
      cell: (member) => (
        <Select
          label={`Role of ${member.email}`}
          isLabelHidden
          className="w-36"
          options={roles}
          value={member.role}
          isDisabled={!isOwner && member.role === 'OWNER'}
          onChange={(role) => role !== member.role && onRole({ member, role })}
        />
      ),
    },
    {
      header: 'Since',
      isSecondary: true,
      align: 'right',
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
    {
      header: 'Actions',
      isHeaderHidden: true,
      align: 'right',
      cell: (member) => (
        <Menu
          label={`Actions for ${member.email}`}
          actions={[
            {
              label: isMe(member) ? 'Leave the project …' : 'Remove …',
              isDangerous: true,
              onAction: () => onRemove(member),
            },
          ]}
        />
      ),
    },
  ];
  return <Table label="Members" rows={members} idOf={({ userId }) => userId} columns={columns} />;
}

interface InvitationsProps {
  projectId: string;
  invitations: Invitation[];
}

function Invitations({ projectId, invitations }: InvitationsProps) {
  const withdraw = async ({ id, email }: Invitation) => {
    try {
      const path = { id: projectId, userId: id };
      await api.DELETE('/projects/{id}/members/{userId}', { params: { path } });
      say(`The invitation for ${email} has been withdrawn.`);
    } catch (error) {
      sayError(error);
    }
    await refreshMembers();
  };
  return (
    <Section title="Invitations">
      <Table
        label="Invitations"
        rows={invitations}
        idOf={({ id }) => id}
        columns={[
          { header: 'Address', isBreakable: true, cell: ({ email }) => email },
          { header: 'Role', cell: ({ role }) => roleText[role] },
          { header: 'Expires', align: 'right', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
          {
            header: 'Actions',
            isHeaderHidden: true,
            align: 'right',
            cell: (invitation) => (
              <Menu
                label={`Actions for ${invitation.email}`}
                actions={[
                  { label: 'Withdraw', isDangerous: true, onAction: () => void withdraw(invitation) },
                ]}
              />
            ),
          },
        ]}
      />
    </Section>
  );
}
