import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { projectsQuery, userQuery } from '../../shell/session.ts';
import { chooseTheme, type Theme, useTheme } from '../../shell/theme.ts';
import { useSignOut } from '../../shell/use-sign-out.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Loaded } from '../../ui/list.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { say, sayError } from '../../ui/toast.tsx';
import { CreateProjectDialog } from './create-project-dialog.tsx';
import { ProjectsSection } from './projects-section.tsx';
import { SessionsSection } from './sessions-section.tsx';

const route = getRouteApi('/signed-in/account');

const themes: { value: Theme; label: string }[] = [
  { value: 'system', label: 'Same as the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

export function AccountPage() {
  return (
    <main id="content" tabIndex={-1} aria-labelledby="page-title" className="outline-none">
      <Account />
    </main>
  );
}

function Account() {
  const { create } = route.useSearch();
  const [isCreating, setIsCreating] = useState(create ?? false);
  const signOut = useSignOut();
  const theme = useTheme();
  const user = useQuery(userQuery);
  const projects = useQuery(projectsQuery);
  return (
    <Page
      title="Account"
      {...(projects.data?.data.length !== 0 && { back: { label: 'Dashboard', to: '/' } })}
      actions={
        <>
          <Button onPress={signOut}>Sign out</Button>
          <Button look="primary" onPress={() => setIsCreating(true)}>
            New project
          </Button>
        </>
      }
    >
      <ProjectsSection query={projects} onCreate={() => setIsCreating(true)} />
      <Loaded query={user}>
        {({ email, name, emailVerified }) => (
          <Section title="Sign-in">
            <dl className="grid max-w-xl grid-cols-[5rem_1fr] items-center gap-y-3 sm:grid-cols-[8rem_1fr]">
              <dt className="text-muted">Name</dt>
              <dd>{name ?? '—'}</dd>
              <dt className="text-muted">Email</dt>
              <dd className="flex flex-wrap items-center gap-2 wrap-anywhere">
                {email}
                {emailVerified ? (
                  <Badge tone="good">Verified</Badge>
                ) : (
                  <MailLink path="/auth/request-verification" email={email}>
                    Email me a verification link
                  </MailLink>
                )}
              </dd>
              <dt className="text-muted">Password</dt>
              <dd>
                <MailLink path="/auth/request-password-reset" email={email}>
                  Email me a link to change it
                </MailLink>
              </dd>
              <dt className="text-muted">Theme</dt>
              <dd>
                <Select
                  label="Theme"
                  isLabelHidden
                  className="w-48"
                  options={themes}
                  value={theme}
                  onChange={chooseTheme}
                />
              </dd>
            </dl>
          </Section>
        )}
      </Loaded>
      <SessionsSection />
      <CreateProjectDialog isOpen={isCreating} onClose={() => setIsCreating(false)} />
    </Page>
  );
}

interface MailLinkProps {
  path: '/auth/request-verification' | '/auth/request-password-reset';
  email: string;
  children: string;
}

function MailLink({ path, email, children }: MailLinkProps) {
  const [isPending, setIsPending] = useState(false);
  const mail = async () => {
    setIsPending(true);
    try {
      const { data } = await api.POST(path, { body: { email } });
      say(data?.message ?? 'The link is on its way.');
    } catch (error) {
      sayError(error);
    }
    setIsPending(false);
  };
  return (
    <Button isPending={isPending} onPress={() => void mail()}>
      {children}
    </Button>
  );
}
