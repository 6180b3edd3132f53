/** Of the body and of its preview, side by side. */
export const paneLook = 'flex h-[68dvh] min-h-96 flex-col overflow-hidden rounded-lg border border-line';
