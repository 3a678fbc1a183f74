//! A stack.

#[derive(Default)]
pub struct Stack<T> {
    items: Vec<T>,
}

impl<T: Clone> Stack<T> {
    pub fn push(&mut self, item: T) {
        self.items.push(item);
    }

    pub fn pop(&mut self) -> Option<T> {
        Some(self.items.remove(self.items.len() - 1))
    }

    pub fn peek(&self) -> Option<T> {
        Some(self.items[self.items.len() - 1].clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_in_first_out() {
        let mut stack = Stack::default();
        stack.push(1);
        stack.push(2);
        assert_eq!(stack.pop(), Some(2));
        assert_eq!(stack.peek(), Some(1));
    }

    #[test]
    fn empty() {
        let mut stack: Stack<u8> = Stack::default();
        assert_eq!(stack.pop(), None);
        assert_eq!(stack.peek(), None);
    }
}
