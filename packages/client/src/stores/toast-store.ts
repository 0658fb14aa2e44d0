import { create } from "zustand";

export type ToastLevel = "info" | "warning" | "error";
export type Toast = { id: number; level: ToastLevel; text: string };

const KEPT = 4;

export const useToasts = create<{ toasts: readonly Toast[]; count: number }>()(() => ({ toasts: [], count: 0 }));

export function addToast(level: ToastLevel, text: string): void {
  useToasts.setState(({ toasts, count }) => {
    const others = toasts.filter((toast) => toast.text !== text);
    return { count: count + 1, toasts: [...others.slice(1 - KEPT), { id: count + 1, level, text }] };
  });
}

export function dismissToast(id: number): void {
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) }));
}
