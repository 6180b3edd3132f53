import { type LinkProps, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Autocomplete } from 'react-aria-components/Autocomplete';
import { Dialog } from 'react-aria-components/Dialog';
import { Input } from 'react-aria-components/Input';
import { Menu, MenuItem } from 'react-aria-components/Menu';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { SearchField } from 'react-aria-components/SearchField';
import { $api } from '../api/client.ts';
import { CloseOnBack } from '../ui/close-on-back.tsx';
import type { DialogState } from '../ui/dialog.tsx';
import { isSearchable, searchForm } from '../ui/search-form.ts';
import { optionLook } from '../ui/select.tsx';
import { useDebounced } from '../ui/use-debounced.ts';
import { type NavigationEntry, navigation } from './navigation.ts';
import { chooseTheme, isDark } from './theme.ts';
import { useProjectId } from './use-project-id.ts';

interface Command {
  id: string;
  label: string;
  kind: string;
  keywords?: string;
  run: () => void;
}

/** Opens pages, common actions and records of the project (found by name or address) from the keyboard. */
export function CommandPalette({ isOpen, onClose }: DialogState) {
  return (
    <ModalOverlay
      isDismissable
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      className="fixed inset-0 z-50 bg-black/35 p-4"
    >
      <Modal className="mx-auto mt-[10dvh] max-h-[80dvh] w-full max-w-xl overflow-y-auto rounded-xl bg-raised shadow-overlay">
        <CloseOnBack onClose={onClose} />
        <Dialog aria-label="Search" className="outline-none">
          <Palette onClose={onClose} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const commands = [...useCommands(), ...useRecordCommands(useDebounced(text.trim()))];
  return (
    <Autocomplete inputValue={text} onInputChange={setText} filter={hasWords}>
      <SearchField
        aria-label="Search pages, actions and names"
        autoFocus
        className="sticky top-0 z-10 bg-raised"
      >
        <Input
          placeholder="Search pages, actions and names"
          className="h-12 w-full border-b border-line bg-transparent px-4 text-lg outline-none [&::-webkit-search-cancel-button]:hidden"
        />
      </SearchField>
      <Menu
        aria-label="Results"
        className="p-2 outline-none"
        items={commands}
        renderEmptyState={() => <p className="px-2 py-6 text-center text-muted">Nothing matches.</p>}
        onAction={(id) => {
          onClose();
          commands.find((command) => command.id === id)?.run();
        }}
      >
        {(command) => (
          <MenuItem
            id={command.id}
            textValue={`${command.label} ${command.keywords ?? ''}`}
            className={`${optionLook} cursor-pointer justify-between`}
          >
            <span className="truncate">{command.label}</span>
            <span className="text-xs text-faint">{command.kind}</span>
          </MenuItem>
        )}
      </Menu>
    </Autocomplete>
  );
}

const hasWords = (candidate: string, typed: string): boolean =>
  searchForm(typed)
    .split(/\s+/)
    .every((word) => searchForm(candidate).includes(word));

/** Pages that create a record. */
const actions = [
  { label: 'New campaign', to: '/projects/$projectId/campaigns/new', keywords: 'create write send' },
  { label: 'New template', to: '/projects/$projectId/templates/new', keywords: 'create write' },
  { label: 'New segment', to: '/projects/$projectId/segments/new', keywords: 'create filter' },
  { label: 'Import contacts', to: '/projects/$projectId/contacts/import', keywords: 'csv upload people' },
] as const;

/**
 * Navigates, and moves the focus to the page: the element that had the focus before belongs to the page left behind.
 */
function useGo(): (link: LinkProps) => void {
  const navigate = useNavigate();
  return (link) =>
    void navigate(link).then(() => {
      const content = document.getElementById('content');
      if (!content?.contains(document.activeElement)) content?.focus();
    });
}

function useCommands(): Command[] {
  const go = useGo();
  const projectId = useProjectId();
  const commandOf =
    (kind: string) =>
    ({ label, to, keywords }: Pick<NavigationEntry, 'label' | 'to' | 'keywords'>): Command => ({
      id: `${kind} ${label}`,
      label,
      kind,
      ...(keywords !== undefined && { keywords }),
      run: () => go({ to, params: { projectId } }),
    });
  return [
    ...navigation.flatMap(({ entries }) => entries).map(commandOf('Page')),
    ...actions.map(commandOf('Action')),
    {
      id: 'theme',
      label: isDark() ? 'Use the light theme' : 'Use the dark theme',
      kind: 'Action',
      run: () => chooseTheme(isDark() ? 'light' : 'dark'),
    },
  ];
}

/** Searched here, because the API lists them all. */
function useSegments(search: string, enabled: boolean) {
  const { data } = $api.useQuery('get', '/segments', {}, { enabled });
  return (data?.data ?? []).filter(({ name }) => searchForm(name).includes(searchForm(search))).slice(0, 5);
}

/** Records of the project with that name, if the text is long enough. */
function useRecordCommands(search: string): Command[] {
  const go = useGo();
  const projectId = useProjectId();
  const enabled = isSearchable(search);
  const query = { search, pageSize: 5 };
  const contacts = $api.useQuery(
    'get',
    '/contacts',
    { params: { query: { search, limit: 5 } } },
    { enabled },
  );
  const campaigns = $api.useQuery(
    'get',
    '/campaigns',
    { params: { query: { ...query, body: 'false' } } },
    { enabled },
  );
  const templates = $api.useQuery(
    'get',
    '/templates',
    { params: { query: { ...query, body: 'false' } } },
    { enabled },
  );
  const workflows = $api.useQuery('get', '/workflows', { params: { query } }, { enabled });
  const segments = useSegments(search, enabled);
  if (!enabled) return [];
  const commandOf =
    (kind: string, to: (id: string) => LinkProps) =>
    ({ id, label }: { id: string; label: string }): Command => ({
      id,
      label,
      // The server has matched it, perhaps by the subject.
      keywords: search,
      kind,
      run: () => go(to(id)),
    });
  const named = ({ id, name }: { id: string; name: string }) => ({ id, label: name });
  return [
    ...(campaigns.data?.data ?? []).map(named).map(
      commandOf('Campaign', (campaignId) => ({
        to: '/projects/$projectId/campaigns/$campaignId',
        params: { projectId, campaignId },
      })),
    ),
    ...(templates.data?.data ?? []).map(named).map(
      commandOf('Template', (templateId) => ({
        to: '/projects/$projectId/templates/$templateId',
        params: { projectId, templateId },
      })),
    ),
    ...(workflows.data?.data ?? []).map(named).map(
      commandOf('Workflow', (workflowId) => ({
        to: '/projects/$projectId/workflows/$workflowId',
        params: { projectId, workflowId },
      })),
    ),
    ...segments.map(named).map(
      commandOf('Segment', (segmentId) => ({
        to: '/projects/$projectId/segments/$segmentId',
        params: { projectId, segmentId },
      })),
    ),
    ...(contacts.data?.data ?? [])
      .map(({ id, email }) => ({ id, label: email }))
      .map(
        commandOf('Contact', (contactId) => ({
          to: '/projects/$projectId/contacts/$contactId',
          params: { projectId, contactId },
        })),
      ),
  ];
}
