/** Classes of the body pane and of the preview pane beside it. */
export const paneLook = 'flex h-[68dvh] min-h-96 flex-col overflow-hidden rounded-lg border border-line';
