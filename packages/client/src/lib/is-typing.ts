/** Whether a key that was pressed is a letter for somebody, or belongs to an open menu or dialog. */
export function isTyping(event: KeyboardEvent): boolean {
  // Inside a widget the event's own target is the widget as a whole.
  const target = event.composedPath()[0];
  if (!(target instanceof HTMLElement)) return false;
  return target.closest("input, textarea, select, [contenteditable], [role=menu], [role=dialog]") !== null;
}
