import { AgoraError } from '@agora-market/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect } from 'react';
import { agora } from '../../api/client.ts';
import { Failure } from '../../ui/States.tsx';
import { say } from '../../ui/toast.tsx';
import { cardName, cardsQuery } from './data.ts';

const route = getRouteApi('/owner/vault');

const isSavedAlready = (error: unknown) => error instanceof AgoraError && error.code === 'DUPLICATE';

/** Saves the card with which the browser comes back from the processor's page, and takes it out of the address. */
export function EnteredCard() {
  const { paymentMethodId } = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const { mutate, error } = useMutation({
    mutationFn: (id: string) => agora.vault.addPaymentMethod({ paymentMethodId: id }),
    onSuccess: (card) => say(`${cardName(card)} saved.`),
    onSettled: () => client.invalidateQueries({ queryKey: cardsQuery.queryKey }),
  });
  useEffect(() => {
    if (paymentMethodId === undefined) return;
    mutate(paymentMethodId);
    void navigate({ search: (before) => ({ ...before, paymentMethodId: undefined }) as typeof before, replace: true });
  }, [paymentMethodId, mutate, navigate]);
  return isSavedAlready(error) ? null : <Failure error={error} />;
}
