import { type ReactNode, useEffect } from 'react';

/** The frame of the pages that need no session. */
export function GuestFrame({ title, children }: { title: string; children?: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Posthaste`;
  }, [title]);
  return (
    <main className="flex min-h-dvh items-start justify-center px-4 pt-[14dvh] pb-10">
      <div className="w-full max-w-sm rounded-xl border border-line bg-canvas p-6">
        <p className="text-sm font-semibold text-accent-text">Posthaste</p>
        <h1 className="mt-1 mb-5 text-xl font-semibold tracking-tight">{title}</h1>
        {children}
      </div>
    </main>
  );
}
