import { useSuspenseQuery } from '@tanstack/react-query';
import { CatchBoundary, Outlet, useParams, useRouter, useRouterState } from '@tanstack/react-router';
import { Menu as MenuIcon, Search } from 'lucide-react';
import { Suspense, useEffect, useState } from 'react';
import { Dialog } from 'react-aria-components/Dialog';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { z } from 'zod';
import { whenNotFound } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { IconButton } from '../ui/button.tsx';
import { CloseOnBack } from '../ui/close-on-back.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { CommandPalette } from './command-palette.tsx';
import { DisabledNote } from './disabled-note.tsx';
import { CrashPage, NotFoundPage } from './fault-pages.tsx';
import { rememberProject } from './last-project.ts';
import { preloadPages } from './preload-pages.ts';
import { projectsQuery } from './session.ts';
import { SideBar } from './side-bar.tsx';
import { useProjectId } from './use-project-id.ts';

/**
 * Shows a project to its members. A user who loses access while the page is open gets the not-found page, because
 * nothing could be read or saved any more.
 */
export function ProjectLayout() {
  const projectId = useProjectId();
  const { data } = useSuspenseQuery(projectsQuery);
  useEffect(() => {
    const lookAgain = () =>
      void queryClient.invalidateQueries({ queryKey: projectsQuery.queryKey, exact: true });
    return whenNotFound(lookAgain);
  }, []);
  return data.data.some(({ id }) => id === projectId) ? <ProjectFrame /> : <NotFoundPage />;
}

function ProjectFrame() {
  const projectId = useProjectId();
  // All path parameters of project pages are ids.
  const isAddress = Object.values(useParams({ strict: false })).every((id) => z.uuid().safeParse(id).success);
  // Changes with each page that opens, and with each retry.
  const pageMatch = useRouterState({ select: ({ matches }) => matches.at(-1) });
  const [isMenuOpen, setIsMenuOpen] = useState(false);
  const [isPaletteOpen, setIsPaletteOpen] = useState(false);
  const router = useRouter();
  useEffect(() => rememberProject(projectId), [projectId]);
  useEffect(() => preloadPages(router), [router]);
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      setIsPaletteOpen(true);
    };
    window.addEventListener('keydown', open);
    return () => window.removeEventListener('keydown', open);
  }, []);
  const openPalette = () => {
    setIsMenuOpen(false);
    setIsPaletteOpen(true);
  };
  return (
    <div className="flex min-h-dvh">
      <button
        type="button"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-canvas focus:p-2"
        onClick={() => document.getElementById('content')?.focus()}
      >
        Skip to the content
      </button>
      <div className="sticky top-0 h-dvh w-56 shrink-0 overflow-y-auto border-r border-line bg-sunken max-lg:hidden">
        <SideBar onSearch={openPalette} />
      </div>
      <ModalOverlay
        isDismissable
        isOpen={isMenuOpen}
        onOpenChange={setIsMenuOpen}
        className="fixed inset-0 z-40 bg-black/35 lg:hidden"
      >
        <Modal className="h-full w-64 overflow-y-auto bg-sunken shadow-overlay">
          <CloseOnBack onClose={() => setIsMenuOpen(false)} />
          <Dialog aria-label="Menu" className="outline-none">
            <SideBar onSearch={openPalette} onLeave={() => setIsMenuOpen(false)} />
          </Dialog>
        </Modal>
      </ModalOverlay>
      <div className="flex min-w-0 flex-1 flex-col">
        <div className="flex items-center justify-between border-b border-line bg-sunken px-2 py-1 lg:hidden">
          <IconButton label="Menu" onPress={() => setIsMenuOpen(true)}>
            <MenuIcon className="size-5" />
          </IconButton>
          <span className="font-semibold">Posthaste</span>
          <IconButton label="Search" onPress={openPalette}>
            <Search className="size-5" />
          </IconButton>
        </div>
        <DisabledNote />
        {/* Named, so that a screen reader says which page has got the focus. */}
        <main id="content" tabIndex={-1} aria-labelledby="page-title" className="min-w-0 flex-1 outline-none">
          <CatchBoundary getResetKey={() => pageMatch} errorComponent={CrashPage}>
            <Suspense fallback={<SkeletonRows />}>{isAddress ? <Outlet /> : <NotFoundPage />}</Suspense>
          </CatchBoundary>
        </main>
      </div>
      <CommandPalette isOpen={isPaletteOpen} onClose={() => setIsPaletteOpen(false)} />
    </div>
  );
}
