import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Autocomplete } from 'react-aria-components/Autocomplete';
import { Dialog } from 'react-aria-components/Dialog';
import { Input } from 'react-aria-components/Input';
import { Menu, MenuItem } from 'react-aria-components/Menu';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { SearchField } from 'react-aria-components/SearchField';
import { $api } from '../api/client.ts';
import { optionLook } from '../ui/select.tsx';
import { useDebounced } from '../ui/use-debounced.ts';
import { navigation } from './navigation.ts';
import { chooseTheme, isDark } from './theme.ts';
import { useProjectId } from './use-project-id.ts';

interface Command {
  id: string;
  label: string;
  kind: string;
  keywords?: string;
  run: () => void;
}

interface CommandPaletteProps {
  isOpen: boolean;
  onClose: () => void;
}

/** Keyboard access to all pages, common actions and contacts by address. */
export function CommandPalette({ isOpen, onClose }: CommandPaletteProps) {
  return (
    <ModalOverlay
      isDismissable
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      className="fixed inset-0 z-50 bg-black/35 p-4"
    >
      <Modal className="mx-auto mt-[10dvh] max-h-[80dvh] w-full max-w-xl overflow-y-auto rounded-xl bg-raised shadow-overlay">
        <Dialog aria-label="Search" className="outline-none">
          <Palette onClose={onClose} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const commands = [...useCommands(), ...useContactCommands(useDebounced(text.trim()))];
  return (
    <Autocomplete
      inputValue={text}
      onInputChange={setText}
      filter={(candidate, typed) => candidate.toLowerCase().includes(typed.trim().toLowerCase())}
    >
      <SearchField
        aria-label="Search pages, actions and contacts"
        autoFocus
        className="sticky top-0 z-10 bg-raised"
      >
        <Input
          placeholder="Search pages, actions and contacts"
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

function useCommands(): Command[] {
  const navigate = useNavigate();
  const projectId = useProjectId();
  const pages = navigation
    .flatMap(({ entries }) => entries)
    .map(({ label, to, keywords }) => ({
      id: `page ${label}`,
      label,
      kind: 'Page',
      ...(keywords !== undefined && { keywords }),
      run: () => void navigate({ to, params: { projectId } }),
    }));
  return [
    ...pages,
    {
      id: 'theme',
      label: isDark() ? 'Use the light theme' : 'Use the dark theme',
      kind: 'Action',
      run: () => chooseTheme(isDark() ? 'light' : 'dark'),
    },
  ];
}

function useContactCommands(search: string): Command[] {
  const navigate = useNavigate();
  const projectId = useProjectId();
  const { data } = $api.useQuery(
    'get',
    '/contacts',
    { params: { query: { search, limit: 5 } } },
    { enabled: search.length >= 3 },
  );
  if (search.length < 3) return [];
  return (data?.data ?? []).map(({ id, email }) => ({
    id,
    label: email,
    kind: 'Contact',
    run: () =>
      void navigate({ to: '/projects/$projectId/contacts/$contactId', params: { projectId, contactId: id } }),
  }));
}
