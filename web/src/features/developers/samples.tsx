import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { $api, type Schema } from '../../api/client.ts';
import { userQuery } from '../../shell/session.ts';
import { TextLink } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Switch } from '../../ui/field.tsx';
import { Loaded } from '../../ui/list.tsx';
import { Select } from '../../ui/select.tsx';
import {
  type Language,
  languages,
  type SampleValues,
  type Task,
  tasks,
  writeSample,
} from './code-samples.ts';
import { masked } from './secret-text.tsx';

export function Samples({ project }: { project: Schema<'Project'> }) {
  const [task, setTask] = useState<Task>('send');
  const [language, setLanguage] = useState<Language>('curl');
  const [isKeyShown, setIsKeyShown] = useState(false);
  const config = $api.useQuery('get', '/config');
  const user = useQuery(userQuery);
  const domains = $api.useQuery('get', '/domains/project/{projectId}', {
    params: { path: { projectId: project.id } },
  });
  const domain = domains.data?.data.find(({ verified }) => verified)?.domain;
  const secretKey = project.secretKey ?? 'sk_…';
  return (
    <div className="flex max-w-4xl flex-col gap-4">
      <div className="flex flex-wrap items-center gap-2">
        <Select label="Task" isLabelHidden className="w-44" options={tasks} value={task} onChange={setTask} />
        <Select
          label="Language"
          isLabelHidden
          className="w-32"
          options={languages}
          value={language}
          onChange={setLanguage}
        />
        {project.secretKey !== undefined && task !== 'track' && (
          <Switch isSelected={isKeyShown} onChange={setIsKeyShown}>
            Show the secret key
          </Switch>
        )}
      </div>
      <Loaded query={config}>
        {({ urls }) => (
          <Loaded query={user}>
            {({ email }) => {
              const values: SampleValues = {
                address: urls.api.replace(/\/$/, ''),
                secretKey,
                publicKey: project.publicKey,
                domain: domain ?? 'example.com',
                recipient: email,
              };
              const shown = { ...values, secretKey: isKeyShown ? secretKey : masked(secretKey) };
              return (
                <CodeBlock
                  label="Code sample"
                  code={writeSample(task, language, shown)}
                  copied={writeSample(task, language, values)}
                />
              );
            }}
          </Loaded>
        )}
      </Loaded>
      {task === 'send' && domains.data !== undefined && domain === undefined && (
        <p className="text-muted">
          Nothing can be sent from example.com:{' '}
          <TextLink to="/projects/$projectId/domains" params={{ projectId: project.id }}>
            verify a domain
          </TextLink>{' '}
          first.
        </p>
      )}
      {project.secretKey === undefined && task !== 'track' && (
        <p className="text-muted">Ask an owner or an admin of the project for the secret key.</p>
      )}
    </div>
  );
}
